//! `signup`: list sign-ups as JSON or CSV, and erase the data of a person.

use signup_core::{Admin, Event, SignupId};

use super::csv::CsvTable;
use super::{PAGE_LIMIT, describe, find_organization, live_event, print};
use crate::config::SignupCommand;
use crate::output::Failure;
use crate::wire;

pub(super) async fn run(admin: &Admin, command: SignupCommand) -> Result<(), Failure> {
    match command {
        SignupCommand::List { event, csv } => {
            let Event { id: event, organization: owner, .. } = live_event(admin, &event).await?;
            let questions = admin.questions(event).await.map_err(describe)?;
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
