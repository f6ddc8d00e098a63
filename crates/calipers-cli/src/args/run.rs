//! What `calipers run` is given.

use std::path::PathBuf;

use calipers_render::output::Format;
use calipers_runtime::apply::image::{ColorOrder, Layout, Range, Resize};
use calipers_runtime::apply::pipeline::{ImageOverrides, Request};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};

use super::runtime::RuntimeArgs;
use super::{Cli, Offer, ends_in};
use crate::commands::{Run, RunFile};
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers run --image digit.png
  calipers run encoder.onnx --text 'A cat sleeps.' --text 'A kitten naps.'
  calipers run qa.onnx --question 'Who wrote it?' --context 'Ada wrote it.'
  calipers run classifier.onnx --image cat.jpg --labels imagenet.txt
  calipers run detector.onnx --image street.jpg -o boxes.png
  calipers run vad.onnx --audio speech.wav
  calipers run magika.onnx --file unknown.bin
  calipers run decoder.onnx --prompt 'Once upon a time' --max-tokens 40
  calipers run model.onnx --input x=x.npy -o outputs.npz";

#[derive(Args, Debug)]
pub(super) struct RunArgs {
    /// The model file; without it, the built-in reader of digits
    model: Option<PathBuf>,

    /// Text to embed or to classify; repeat to compare texts
    #[arg(long = "text", value_name = "TEXT")]
    texts: Vec<String>,

    /// Question to answer from --context
    #[arg(long, value_name = "TEXT", requires = "context")]
    question: Option<String>,

    /// Text that has the answer to --question
    #[arg(long, value_name = "TEXT", requires = "question")]
    context: Option<String>,

    /// Image (PNG or JPEG) to classify, to find objects in, to segment or to read; repeat to compare
    /// images
    #[arg(long = "image", value_name = "FILE")]
    images: Vec<PathBuf>,

    /// Sound (WAV) to classify, or to find speech in
    #[arg(long, value_name = "FILE")]
    audio: Option<PathBuf>,

    /// File of any kind, for models that recognize kinds of files
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Text to continue
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,

    /// Tokens to generate at most
    #[arg(long, value_name = "N", default_value_t = 50, requires = "prompt")]
    max_tokens: usize,

    /// Tensor of an input, .npy or .npz; the name can be left out if there is one input
    #[arg(long = "input", value_name = "NAME=FILE", value_parser = parse_input)]
    inputs: Vec<(Option<String>, PathBuf)>,

    /// Tokenizer, tokenizer.json or vocab.txt; the one in the model's folder by default
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,

    /// Labels of the classes, a line each or JSON; those of the metadata or of config.json by default
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Size of the image for the model, e.g. 224x224; inferred by default
    #[arg(long, value_name = "WxH", value_parser = parse_size, requires = "images")]
    size: Option<(u32, u32)>,

    /// Order of the image's axes; inferred by default
    #[arg(long, value_name = "ORDER", value_parser = layouts(), requires = "images")]
    layout: Option<Layout>,

    /// Order of the color channels; inferred by default
    #[arg(long, value_name = "ORDER", value_parser = colors(), requires = "images")]
    channels: Option<ColorOrder>,

    /// Values of pixels, before mean and standard deviation; inferred by default
    #[arg(long, value_name = "RANGE", value_parser = ranges(), allow_hyphen_values = true, requires = "images")]
    range: Option<Range>,

    /// Mean of each channel, e.g. 0.485,0.456,0.406; inferred by default
    #[arg(long, value_name = "R,G,B", value_parser = parse_channels, requires = "images")]
    mean: Option<[f32; 3]>,

    /// Standard deviation of each channel, e.g. 0.229,0.224,0.225; inferred by default
    #[arg(long, value_name = "R,G,B", value_parser = parse_channels, requires = "images")]
    std: Option<[f32; 3]>,

    /// How the image is brought to size; inferred by default
    #[arg(long, value_name = "HOW", value_parser = resizes(), requires = "images")]
    resize: Option<Resize>,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Documents.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten: text, .json, .npz with the output tensors, or .png with
    /// what was found; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    runtime: RuntimeArgs,
}

impl RunArgs {
    pub(super) fn resolve(self) -> Result<Run, clap::Error> {
        let output = Target::new(self.output.clone());
        let named = |ending: &str| self.output.as_deref().is_some_and(|path| ends_in(path, ending));
        let (file, format) = match self.format {
            None if named("npz") => (RunFile::Tensors, None),
            None if named("png") => (RunFile::Picture, None),
            None if named("npy") => {
                let message = "outputs are several arrays; write -o outputs.npz";
                return Err(Cli::command().error(ErrorKind::ValueValidation, message));
            }
            format => (RunFile::Report, Some(Offer::Documents.choose(format, &output)?)),
        };
        let overrides = ImageOverrides {
            size: self.size,
            layout: self.layout,
            colors: self.channels,
            range: self.range,
            mean: self.mean,
            std: self.std,
            resize: self.resize,
        };
        let mut requests = Vec::new();
        if !self.texts.is_empty() {
            requests.push(Request::Texts(self.texts));
        }
        if let Some((question, context)) = self.question.zip(self.context) {
            requests.push(Request::Question { question, context });
        }
        if !self.images.is_empty() {
            requests.push(Request::Images { paths: self.images, overrides });
        }
        requests.extend(self.audio.map(|path| Request::Audio { path }));
        requests.extend(self.file.map(|path| Request::File { path }));
        let most = self.max_tokens;
        requests.extend(self.prompt.map(|text| Request::Prompt { text, most }));
        if !self.inputs.is_empty() {
            requests.push(Request::Tensors(self.inputs));
        }
        if requests.len() > 1 {
            let message = "give one kind of input: --text, --question with --context, --image, \
                           --audio, --file, --prompt or --input";
            return Err(Cli::command().error(ErrorKind::ArgumentConflict, message));
        }
        Ok(Run {
            model: self.model,
            request: requests.pop(),
            tokenizer: self.tokenizer,
            labels: self.labels,
            file,
            format,
            output,
            execution: self.runtime.resolve(),
        })
    }
}

fn parse_input(text: &str) -> Result<(Option<String>, PathBuf), String> {
    let (name, file) = match text.rsplit_once('=') {
        Some((name, file)) => (Some(name.to_owned()), file),
        None => (None, text),
    };
    match file.is_empty() {
        true => Err("write NAME=FILE.npy".to_owned()),
        false => Ok((name, PathBuf::from(file))),
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let is_size = |side: u32| (1..=8192).contains(&side);
    sides
        .filter(|(width, height)| is_size(*width) && is_size(*height))
        .ok_or_else(|| "must be width x height in pixels; write 224x224".to_owned())
}

fn parse_channels(text: &str) -> Result<[f32; 3], String> {
    let values: Option<Vec<f32>> = text.split(',').map(|it| it.trim().parse().ok()).collect();
    let values = values.filter(|values| values.iter().all(|it| it.is_finite()));
    match values.as_deref() {
        Some([all]) => Ok([*all; 3]),
        Some([red, green, blue]) => Ok([*red, *green, *blue]),
        _ => Err("must be one number or three; write 0.5,0.5,0.5".to_owned()),
    }
}

/// A parser of the ids of a closed set.
fn one_of<T: Clone + Send + Sync + 'static>(
    all: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|(id, _)| *id)).try_map(|id| {
        let found = all.iter().find(|(known, _)| *known == id);
        found.map(|(_, value)| value.clone()).ok_or("unknown")
    })
}

fn layouts() -> impl TypedValueParser<Value = Layout> {
    one_of(&[("nchw", Layout::Nchw), ("nhwc", Layout::Nhwc)])
}

fn colors() -> impl TypedValueParser<Value = ColorOrder> {
    one_of(&[("rgb", ColorOrder::Rgb), ("bgr", ColorOrder::Bgr)])
}

fn ranges() -> impl TypedValueParser<Value = Range> {
    one_of(&[("0..1", Range::Unit), ("0..255", Range::Bytes), ("-1..1", Range::Signed)])
}

fn resizes() -> impl TypedValueParser<Value = Resize> {
    one_of(&[
        ("stretch", Resize::Stretch),
        ("crop", Resize::Crop),
        ("letterbox", Resize::Letterbox),
        ("pad", Resize::Pad),
        ("center", Resize::Center),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_sizes_and_channels_are_parsed() {
        let named = (Some("x".to_owned()), PathBuf::from("a.npy"));
        assert_eq!(parse_input("x=a.npy"), Ok(named));
        assert_eq!(parse_input("a.npy"), Ok((None, PathBuf::from("a.npy"))));
        assert!(parse_input("x=").is_err());
        assert_eq!(parse_size("320x240"), Ok((320, 240)));
        assert!(parse_size("0x240").is_err() && parse_size("224").is_err());
        assert_eq!(parse_channels("0.5"), Ok([0.5; 3]));
        assert!(parse_channels("1,2").is_err() && parse_channels("inf").is_err());
    }
}
