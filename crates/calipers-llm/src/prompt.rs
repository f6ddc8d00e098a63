//! What is sent: the facts of the report with their ids, and the form of the reply.

use calipers_summary::Audience;
use calipers_summary::check::{self, Checked};
use calipers_summary::facts::Fact;

/// Struck sentences that a correction names.
const MAX_STRUCK: usize = 6;

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) role: &'static str,
    pub(crate) content: String,
}

impl Message {
    fn system(content: String) -> Self {
        Self { role: "system", content }
    }

    fn user(content: String) -> Self {
        Self { role: "user", content }
    }

    pub(crate) fn assistant(content: String) -> Self {
        Self { role: "assistant", content }
    }
}

/// The whole prompt. Nothing in it depends on a name that the model's author wrote.
pub(crate) fn messages(facts: &[Fact], audience: Audience) -> Vec<Message> {
    vec![Message::system(task(audience)), Message::user(listed(facts))]
}

fn task(audience: Audience) -> String {
    let reader = match audience {
        Audience::Engineer => "an engineer who will run the model",
        Audience::Manager => "a manager who decides whether to use the model",
    };
    format!(
        "You write a summary of a neural-network model for {reader}. \
         You get a list of facts; each has an id. You choose four to six facts and their order, \
         and write short sentences that refer to facts by id in braces, such as {{f1}}. \
         A program replaces each reference by the text of its fact.\n\
         Rules:\n\
         - Begin with what the model is, then its size, its cost, and its findings.\n\
         - A sentence is a subject (The model, It), a verb, and one to four references that this \
         verb can take, joined by commas and \"and\". The list says which verbs take a fact.\n\
         - A fact with \"alone\" is a sentence by itself: \"{{f9}}.\"\n\
         - Write no other words, no numbers, no names. Use each fact once.\n\
         Reply with one JSON object: {{\"title\": string, \"sentences\": [string, ...]}}"
    )
}

fn listed(facts: &[Fact]) -> String {
    let mut text = "Facts:\n".to_owned();
    for (id, fact) in (1..).zip(facts) {
        let verbs = check::verbs(fact.role);
        let verbs = if verbs.is_empty() { "alone".to_owned() } else { verbs.join(", ") };
        text += &format!("f{id} ({verbs}): {}\n", fact.prompt);
    }
    text += &format!("An example of a reply about these facts:\n{}\n", check::example(facts));
    text += "Now write the reply with the facts that matter most to the reader.";
    text
}

/// What is asked after a reply with struck sentences.
pub(crate) fn correction(checked: &Checked) -> Message {
    let mut text = "These sentences cannot be used:\n".to_owned();
    for (written, fault) in checked.struck().take(MAX_STRUCK) {
        text += &format!("- {written}: {fault}\n");
    }
    if let Some(Err(fault)) = checked.title.as_ref().map(|title| &title.result) {
        text += &format!("- the title: {fault}\n");
    }
    text += "Write the whole JSON object again, with references to facts and the words of the rules only.";
    Message::user(text)
}

/// What is asked after a reply that is not the JSON object.
pub(crate) fn form_correction() -> Message {
    Message::user(
        "That is not the JSON object. Reply with the object {\"title\": ..., \"sentences\": [...]} and nothing else.".to_owned(),
    )
}
