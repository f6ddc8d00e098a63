//! Images: classes, objects, segments, lines of text, vectors.

use std::path::{Path, PathBuf};

use calipers_report::{ClassScore, FoundObject, RunOutcome, TaskKind};
use image::RgbImage;

use super::heads::{self, ClassMap, png};
use super::labels::Labels;
use super::preprocess::{ImageOverrides, Known, described, infer};
use super::tensors::summaries;
use super::{Applied, Subject, classes, embedding_tensor, named, output, similarities, with_size};
use crate::Error;
use crate::apply::generate::Port;
use crate::apply::image::{Placement, Preprocessing, open};
use crate::apply::scores::normalize;
use crate::apply::{detect, text_regions};
use crate::session::{Output, Read, Session};

/// Images that are compared at most.
const MOST_IMAGES: usize = 256;

/// Runs a model on images: one, or several whose vectors are compared.
pub(super) fn images(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    paths: &[PathBuf],
    overrides: &ImageOverrides,
) -> Result<Applied, Error> {
    let ports = subject.ports();
    let [port] = ports.as_slice() else {
        return Err(Error::Request(format!(
            "the model has {} inputs, an image is one; pass tensors with --input",
            ports.len()
        )));
    };
    let runs = Runs { subject, port, overrides };
    match (subject.task, paths) {
        (TaskKind::ImageEmbedding, _) => runs.embeddings(session, paths),
        (_, [path]) => runs.one(session, path),
        _ => Err(Error::Request(format!(
            "several images are compared by models for image embedding, this one is for {}; give \
             one --image",
            subject.task.display_name()
        ))),
    }
}

struct Runs<'a> {
    subject: &'a Subject<'a>,
    port: &'a Port,
    overrides: &'a ImageOverrides,
}

/// An image and what a model returned for it.
struct Ran {
    original: RgbImage,
    how: Preprocessing,
    placement: Placement,
    outputs: Vec<Output>,
}

impl Runs<'_> {
    fn run(&self, session: &mut dyn Session, path: &Path) -> Result<Ran, Error> {
        let original = open(path)?;
        let (task, family) = (self.subject.task, self.subject.family);
        let known = Known { task, family, size: self.subject.trained_size() };
        let how = infer(&known, self.port, &original, self.overrides)?;
        let (fitted, placement) = how.fitted(&original);
        let tensor = how.tensor(&fitted, self.port.sizes.len(), self.port.dtype)?;
        drop(fitted);
        let outputs = session.run(&[(self.port.name.clone(), tensor)], None, Read::Values)?;
        Ok(Ran { original, how, placement, outputs })
    }

    fn embeddings(&self, session: &mut dyn Session, paths: &[PathBuf]) -> Result<Applied, Error> {
        if paths.len() > MOST_IMAGES {
            return Err(Error::Request(format!("at most {MOST_IMAGES} images are compared")));
        }
        let (mut inputs, mut embeddings, mut how) = (Vec::new(), Vec::new(), None);
        for path in paths {
            let ran = self.run(session, path)?;
            let vector = output(&ran.outputs, |tensor| tensor.shape().len() == 2)
                .or_else(|| output(&ran.outputs, |tensor| matches!(tensor.shape(), [1, _, 1, 1])));
            let mut vector = vector.and_then(|vector| vector.to_f32()).ok_or_else(|| {
                Error::Request("the model does not return a vector per image".to_owned())
            })?;
            normalize(&mut vector);
            embeddings.push(vector);
            inputs.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
            how = Some(described(&ran.how));
        }
        let outputs = embedding_tensor(&embeddings)?;
        let similarity = similarities(&embeddings);
        Ok(Applied {
            outcome: RunOutcome::Embeddings { inputs, embeddings, similarity },
            preprocessing: with_size(how.unwrap_or_default(), &outputs),
            outputs,
            picture: None,
        })
    }

    fn one(&self, session: &mut dyn Session, path: &Path) -> Result<Applied, Error> {
        // Labels that cannot be read are known before the model runs.
        let labels = Labels::find(self.subject)?;
        let ran = self.run(session, path)?;
        let mut preprocessing = described(&ran.how);
        preprocessing.extend(labels.source.iter().map(|it| ("labels".to_owned(), it.clone())));
        let (outcome, picture) = self.read(&ran, &labels)?;
        let picture = picture.map(|picture| png(&picture)).transpose()?;
        let outputs = named(ran.outputs);
        // What cannot be read is shown as it is.
        let outcome = outcome.unwrap_or_else(|| summaries(&outputs));
        Ok(Applied { outcome, preprocessing, outputs, picture })
    }

    /// What the outputs mean, and a picture of it.
    fn read(
        &self,
        ran: &Ran,
        labels: &Labels,
    ) -> Result<(Option<RunOutcome>, Option<RgbImage>), Error> {
        let Ran { original, how, outputs, .. } = ran;
        Ok(match self.subject.task {
            TaskKind::ObjectDetection => {
                let size = (how.width, how.height);
                let Some(found) =
                    heads::objects(outputs, self.subject.family, self.subject.classes, size)
                else {
                    return Ok((None, None));
                };
                if let Some(classes) = self.subject.classes {
                    labels.check(classes)?;
                }
                let count = self.subject.classes.unwrap_or(labels.len());
                let (outcome, drawn) = placed(ran, found, |class| labels.label(class, count));
                (Some(outcome), Some(drawn))
            }
            TaskKind::TextDetection => {
                let map = output(outputs, |tensor| tensor.shape().len() >= 3);
                let Some(found) = map.and_then(text_regions::regions) else {
                    return Ok((None, None));
                };
                let (outcome, drawn) = placed(ran, found, |_| Some("text".to_owned()));
                (Some(outcome), Some(drawn))
            }
            TaskKind::ImageSegmentation => {
                let map = ClassMap::read(outputs);
                let drawn = map.as_ref().and_then(|map| map.drawn(original));
                (map.map(|map| map.outcome(labels)), drawn)
            }
            TaskKind::TextRecognition => (Some(heads::line_of_text(outputs, labels)?), None),
            TaskKind::ImageClassification | TaskKind::Unknown => {
                let scores = output(outputs, |tensor| tensor.shape().len() <= 2);
                let count = scores.and_then(|scores| scores.shape().last().copied());
                labels.check(count.unwrap_or(labels.len()))?;
                let found = scores.and_then(|scores| classes(scores, labels));
                (found.map(|classes| RunOutcome::Classes { classes }), None)
            }
            // Depth, higher resolution, another style.
            _ => (None, heads::picture(outputs)),
        })
    }
}

/// Boxes in pixels of the image, and the image with them.
fn placed(
    ran: &Ran,
    found: Vec<detect::Detection>,
    label: impl Fn(usize) -> Option<String>,
) -> (RunOutcome, RgbImage) {
    #[expect(clippy::cast_precision_loss, reason = "sides have fewer than 24 bits")]
    let (width, height) = (ran.original.width() as f32, ran.original.height() as f32);
    let found: Vec<detect::Detection> =
        found.into_iter().map(|it| it.placed(ran.placement, width, height)).collect();
    let mut drawn = ran.original.clone();
    detect::draw(&mut drawn, &found);
    let object = |it: detect::Detection| FoundObject {
        class: ClassScore { class: it.class, label: label(it.class), score: it.score },
        corners: it.corners,
    };
    (RunOutcome::Objects { objects: found.into_iter().map(object).collect() }, drawn)
}
