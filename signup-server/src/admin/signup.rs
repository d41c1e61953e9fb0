//! `signup`: list sign-ups as JSON or as a table, and erase the data of a person.

use std::mem;

use signup_core::{Admin, Event, Signup, SignupId};

use super::{PAGE_LIMIT, describe, find_organization, live_event, print};
use crate::config::SignupCommand;
use crate::output::{self, Failure};
use crate::signup_table::{MARK, Separator, signup_table};
use crate::wire;

pub(super) async fn run(admin: &Admin, command: SignupCommand) -> Result<(), Failure> {
    match command {
        SignupCommand::List { event, csv } => {
            let event = live_event(admin, &event).await?;
            if csv {
                let all = admin.event_signups(event.id).await.map_err(describe)?;
                let mut begin = MARK.to_string();
                return signup_table(all, Separator::Comma).try_for_each(|row| {
                    let row = output::escaped(&row.replace("\r\n", "\n"), is_text);
                    // The line gets its line feed when it is printed.
                    output::print_line(&(mem::take(&mut begin) + row.as_str() + "\r"))
                });
            }
            let mut after = None;
            while let Some((page, last)) = page(admin, &event, after).await? {
                after = Some(last);
                let shifts = admin.shifts_of(event.organization, &page).await.map_err(describe)?;
                page.iter()
                    .try_for_each(|signup| print(&wire::Signup::new(signup, shifts.get(&signup.shift))))?;
            }
            Ok(())
        }
        SignupCommand::Erase { email, organization } => {
            let organization = find_organization(admin, &organization).await?;
            let erased = admin.erase_signups(organization.id, &email).await.map_err(describe)?;
            print(&wire::Erasure::new(organization.id, erased))
        }
    }
}

/// Returns whether a table keeps the character: a line break or a tab of an answer, or a joiner, which belongs to words in Persian,
/// in Hindi and in other languages.
const fn is_text(character: char) -> bool {
    matches!(character, '\n' | '\t' | '\u{200c}' | '\u{200d}')
}

/// Reads the sign-ups with an id above `after`, and the id of the last. Returns `None` if there is no further one.
async fn page(
    admin: &Admin,
    event: &Event,
    after: Option<SignupId>,
) -> Result<Option<(Vec<Signup>, SignupId)>, String> {
    let page = admin.signups(event.organization, event.id, after, PAGE_LIMIT).await.map_err(describe)?;
    let last = page.last().map(|signup| signup.id);
    Ok(last.map(|last| (page, last)))
}
