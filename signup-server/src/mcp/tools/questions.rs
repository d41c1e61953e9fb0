//! The tools for the questions of an event.

use signup_core::Scope;

use super::super::tool::{Effect, Tool};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "list_questions",
        title: "List an event's questions",
        description: "Lists the questions that people answer when they sign up for an event. The answers are in list_signups. \
                      Sends no email.",
        scope: Some(Scope::EventsRead),
        effect: Effect::Reads,
        operation: "listQuestions",
    },
    Tool {
        name: "add_question",
        title: "Add a question to an event",
        description: "Adds a question to the sign-up form of an event: a text, a choice from options, or a box to tick. People \
                      who are signed up already are not asked. Sends no email.",
        scope: Some(Scope::EventsWrite),
        effect: Effect::Adds,
        operation: "createQuestion",
    },
];
