//! `question`: add and list the questions of an event.

use signup_core::{Admin, Error, FaultKind, Label, NewQuestion, PathStep, QuestionKind};

use super::{event_error, live_event, print};
use crate::config::QuestionCommand;
use crate::output::{Failure, shown};
use crate::wire;

pub(super) async fn run(admin: &Admin, command: QuestionCommand) -> Result<(), Failure> {
    match command {
        QuestionCommand::Add { event, label, kind, options, required } => {
            let mut new = NewQuestion::new(label, kind);
            (new.options, new.required) = (options.clone(), required);
            match admin.add_question(live_event(admin, &event).await?.id, new).await {
                Ok(added) => print(&wire::Question::new(&added)),
                Err(error) => Err(match (option_mistake(&error, &options), question_limit(&error)) {
                    (Some(line), _) => Failure::Usage(line),
                    (None, Some(max)) => {
                        let event = shown(&event);
                        format!("the event {event} already has {max} questions, which is the limit").into()
                    }
                    (None, None) => event_error(&event, error).into(),
                }),
            }
        }
        QuestionCommand::List { event } => {
            let questions = admin.questions(live_event(admin, &event).await?.id).await;
            let questions = questions.map_err(|error| event_error(&event, error))?;
            questions.iter().try_for_each(|question| print(&wire::Question::new(question)))
        }
    }
}

/// Returns how many questions an event may have, if the error is that it has as many. Returns `None` if the error is another
/// one.
fn question_limit(error: &Error) -> Option<usize> {
    let Error::Invalid(faults) = error else { return None };
    faults.iter().find_map(|fault| match fault.kind {
        FaultKind::TooMany { max, .. } => Some(max),
        _ => None,
    })
}

/// Describes a fault of the options in the words of the command line. Returns `None` if the error is another one.
fn option_mistake(error: &Error, options: &[Label]) -> Option<String> {
    let Error::Invalid(faults) = error else { return None };
    faults.iter().find_map(|fault| match (fault.path.steps(), &fault.kind) {
        ([PathStep::Field("options"), PathStep::Index(index)], FaultKind::Repeated) => {
            options.get(*index).map(|option| format!("the option {} is given twice", shown(option.as_str())))
        }
        ([PathStep::Field("options")], FaultKind::OptionCount { kind: QuestionKind::Select, max }) => {
            Some(if options.is_empty() {
                "--type select needs --option, once for each choice".to_owned()
            } else {
                format!("--type select takes at most {max} options")
            })
        }
        ([PathStep::Field("options")], FaultKind::OptionCount { .. }) => {
            Some("--option only goes with --type select".to_owned())
        }
        _ => None,
    })
}
