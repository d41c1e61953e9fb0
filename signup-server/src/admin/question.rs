//! `question`: add and list the questions of an event.

use signup_core::{Admin, NewQuestion};

use super::{event_error, live_event, print};
use crate::config::QuestionCommand;
use crate::output::Failure;
use crate::wire;

pub(super) async fn run(admin: &Admin, command: QuestionCommand) -> Result<(), Failure> {
    match command {
        QuestionCommand::Add { event, label, kind, options, required } => {
            let mut new = NewQuestion::new(label, kind);
            (new.options, new.required) = (options, required);
            let added = admin.add_question(live_event(admin, &event).await?.id, new).await;
            print(&wire::Question::new(&added.map_err(|error| event_error(&event, error))?))
        }
        QuestionCommand::List { event } => {
            let questions = admin.questions(live_event(admin, &event).await?.id).await;
            let questions = questions.map_err(|error| event_error(&event, error))?;
            questions.iter().try_for_each(|question| print(&wire::Question::new(question)))
        }
    }
}
