//! The management commands: organizations, people, tokens, events, questions, sign-ups, mails and webhooks.
//!
//! Each command prints JSON objects, one on each line. The objects are [wire types](crate::wire). Only
//! `signup list --csv` prints a [table](crate::signup_table).
//!
//! **Invariant:** what people typed is [escaped](output::escaped) before it is printed, so that a terminal obeys none of it.

mod event;
mod notice;
mod organization;
mod person;
mod question;
mod signup;
mod token;
mod webhook;

pub(crate) use person::invitation_link;
use serde::Serialize;
use signup_core::{Admin, Error, Event, Organization};

use crate::config::{BaseUrl, Command};
use crate::output::{self, Failure, shown};
use crate::reply::WithSources;

/// The maximum number of records that one read from the store returns.
const PAGE_LIMIT: u32 = 500;

/// Runs a management command. `base_url` is the prefix of the URLs that the command prints.
///
/// # Errors
/// Returns one line for the user, or that the reader of the output has closed the pipe.
pub(crate) async fn run(admin: &Admin, base_url: &BaseUrl, command: Command) -> Result<(), Failure> {
    match command {
        Command::Serve => Ok(()),
        Command::Organization(command) => organization::run(admin, command).await,
        Command::Person(command) => person::run(admin, base_url.as_str(), command).await,
        Command::Token(command) => token::run(admin, command).await,
        Command::Event(command) => event::run(admin, base_url.as_str(), command).await,
        Command::Question(command) => question::run(admin, command).await,
        Command::Signup(command) => signup::run(admin, command).await,
        Command::Notice(command) => notice::run(admin, command).await,
        Command::Webhook(command) => webhook::run(admin, command).await,
    }
}

/// Finds the organization with this id or slug.
async fn find_organization(admin: &Admin, id_or_slug: &str) -> Result<Organization, String> {
    admin.find_organization(id_or_slug).await.map_err(|error| match error {
        Error::NotFound => {
            let id_or_slug = shown(id_or_slug);
            format!("there is no organization with the id or slug {id_or_slug}: to see them, run \"organization list\"")
        }
        error => describe(error),
    })
}

/// Finds the event with this id or slug, deleted or not.
async fn find_event(admin: &Admin, id_or_slug: &str) -> Result<Event, String> {
    admin.find_event(id_or_slug).await.map_err(|error| event_error(id_or_slug, error))
}

/// Finds the event with this id or slug, which must not be deleted.
async fn live_event(admin: &Admin, id_or_slug: &str) -> Result<Event, String> {
    let event = find_event(admin, id_or_slug).await?;
    match event.deleted_at {
        None => Ok(event),
        Some(_) => Err(format!("the event {} is deleted: restore it first", shown(id_or_slug))),
    }
}

/// Describes an error of an operation on the event with this id or slug, as one line for the user.
fn event_error(event: &str, error: Error) -> String {
    let event = shown(event);
    match error {
        Error::NotFound => {
            format!("there is no event with the id or slug {event}: to see them, run \"event list\"")
        }
        Error::EventCancelled => format!("the event {event} is cancelled, so you cannot change it"),
        Error::EventOver => format!("the event {event} is over: you can delete it, but not cancel it"),
        Error::EventHasSignups => {
            format!(
                "people are signed up for the event {event}: cancel the event first, so that they are told"
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
fn print(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    output::print_line(&output::escaped(&text, |_| false))
}

fn describe(error: Error) -> String {
    match error {
        Error::Invalid(faults) => faults.to_string(),
        error => WithSources(&error).to_string(),
    }
}
