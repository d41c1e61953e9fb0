//! `signup`: list sign-ups as JSON or CSV, and erase the data of a person.

use signup_core::{Admin, SignupId};

use super::csv::CsvTable;
use super::{PAGE_LIMIT, describe, event_error, find_organization, print};
use crate::config::{SignupCommand, event_id};
use crate::wire;

pub(super) async fn run(admin: &Admin, command: SignupCommand) -> Result<(), String> {
    match command {
        SignupCommand::List { event, csv } => {
            let for_event = |error| event_error(&event, error);
            let event = event_id(&event);
            let owner = admin.event_owner(event).await.map_err(for_event)?;
            let questions = admin.questions(event).await.map_err(for_event)?;
            let table = if csv { Some(CsvTable::begin(&questions)?) } else { None };
            let mut after: Option<SignupId> = None;
            loop {
                let page = admin.signups(owner, event, after, PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                match &table {
                    Some(table) => table.print(&page)?,
                    None => page.iter().try_for_each(|signup| print(&wire::Signup::new(signup)))?,
                }
            }
        }
        SignupCommand::Erase { email, organization } => {
            let organization = find_organization(admin, &organization).await?;
            let erased = admin.erase_signups(organization.id, &email).await.map_err(describe)?;
            print(&wire::Erasure::new(organization.id, erased))
        }
    }
}
