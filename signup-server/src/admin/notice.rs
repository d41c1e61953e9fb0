//! `notice`: list queued and failed mails, and retry failed ones.

use signup_core::{Admin, Error, Notice, NoticeId, NoticeQuery};

use super::{PAGE_LIMIT, describe, print};
use crate::config::NoticeCommand;
use crate::output::{Failure, shown};
use crate::wire;

pub(super) async fn run(admin: &Admin, command: NoticeCommand) -> Result<(), Failure> {
    match command {
        NoticeCommand::List { failed } => {
            let mut after: Option<NoticeId> = None;
            loop {
                let query = if failed { NoticeQuery::Failed(after) } else { NoticeQuery::Queued(after) };
                let page = admin.notices(query, PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                for notice in &page {
                    print_notice(admin, notice).await?;
                }
            }
        }
        NoticeCommand::Retry { id: Some(id), .. } => {
            let notice = id.parse().unwrap_or(NoticeId::NONE);
            match admin.retry_notice(notice).await {
                Ok(notice) => print_notice(admin, &notice).await,
                Err(Error::NotFound) => {
                    let id = shown(&id);
                    let line = format!(
                        "there is no email with the id {id}: to see the ids, run \"notice list --failed\""
                    );
                    Err(line.into())
                }
                Err(Error::NoticeNotFailed) => {
                    Err(format!("the email {id} has not failed: it is still queued").into())
                }
                Err(error) => Err(describe(error).into()),
            }
        }
        NoticeCommand::Retry { id: None, .. } => {
            let mut after: Option<NoticeId> = None;
            loop {
                let page = admin.notices(NoticeQuery::Failed(after), PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                for notice in page {
                    match admin.retry_notice(notice.id).await {
                        Ok(notice) => print_notice(admin, &notice).await?,
                        // Another process has retried or removed the notice since the page was read.
                        Err(Error::NotFound | Error::NoticeNotFailed) => {}
                        Err(error) => return Err(describe(error).into()),
                    }
                }
            }
        }
    }
}

async fn print_notice(admin: &Admin, notice: &Notice) -> Result<(), Failure> {
    let recipient = admin.recipient(notice).await.map_err(describe)?;
    print(&wire::Notice::new(notice, recipient))
}
