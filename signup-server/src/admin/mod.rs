//! The management commands: organizations, tokens, events, questions, sign-ups and mails.
//!
//! Each command prints JSON objects, one on each line. The objects are [wire types](crate::wire). Only
//! `signup list --csv` prints CSV.

mod csv;
mod event;
mod notice;
mod organization;
mod question;
mod signup;
mod token;

use serde::Serialize;
use signup_core::{Admin, Error, Organization};

use crate::config::{BaseUrl, Command};
use crate::output;
use crate::reply::WithSources;

/// The maximum number of records that one read from the store returns.
const PAGE_LIMIT: u32 = 500;

/// Runs a management command. `base_url` is the prefix of the URLs that the command prints.
///
/// # Errors
/// Returns one line for the user.
pub(crate) async fn run(admin: &Admin, base_url: &BaseUrl, command: Command) -> Result<(), String> {
    match command {
        Command::Serve => Ok(()),
        Command::Organization(command) => organization::run(admin, command).await,
        Command::Token(command) => token::run(admin, command).await,
        Command::Event(command) => event::run(admin, base_url.as_str(), command).await,
        Command::Question(command) => question::run(admin, command).await,
        Command::Signup(command) => signup::run(admin, command).await,
        Command::Notice(command) => notice::run(admin, command).await,
    }
}

/// Finds the organization with this id or slug.
async fn find_organization(admin: &Admin, id_or_slug: &str) -> Result<Organization, String> {
    admin.find_organization(id_or_slug).await.map_err(|error| match error {
        Error::NotFound => format!("there is no organization with the id or slug {id_or_slug}"),
        error => describe(error),
    })
}

/// Describes an error of an operation on the event with this id, as one line for the user.
fn event_error(event: &str, error: Error) -> String {
    match error {
        Error::NotFound => format!("there is no event with the id {event}, or it is deleted"),
        Error::EventCancelled => {
            format!("the event {event} is cancelled: it can only be shown, duplicated and deleted")
        }
        Error::EventOver => format!("the event {event} is over: it can be deleted, but not cancelled"),
        Error::EventHasSignups => {
            format!(
                "the event {event} has active sign-ups: cancel it first, so that its volunteers get a mail"
            )
        }
        Error::PlanLimit { current_count, max_allowed } => format!(
            "the plan allows {max_allowed} active events, and {current_count} are active: \
             cancel or delete another event, or change the plan"
        ),
        error => describe(error),
    }
}

/// Prints a value as JSON on one line.
fn print(value: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    output::print_line(&text).map_err(|error| format!("cannot write the answer: {error}"))
}

fn describe(error: Error) -> String {
    match error {
        Error::Invalid(faults) => faults.to_string(),
        error => WithSources(&error).to_string(),
    }
}
