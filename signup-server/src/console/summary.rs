//! The page on which a member chooses whether to get the summary of the organization by mail.

use askama::Template;
use warp::http::StatusCode;

use super::{ConsoleRefusal, Done, Frame, MemberCall, PageResult, show};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/summary.html")]
struct SummaryTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    is_on: bool,
}

/// `GET …/summary`: shows whether the member gets the summary.
pub(crate) async fn show_summary(call: MemberCall) -> PageResult {
    let is_on = call.session.gets_summary().await?;
    let head = call.frame.head("Email summary");
    Ok(show(StatusCode::OK, &SummaryTemplate { head, frame: &call.frame, is_on }))
}

/// `POST …/summary`: turns the summary on or off for the member.
pub(crate) async fn choose_summary(mut call: MemberCall) -> PageResult {
    let is_on = match call.form().await?.value("summary") {
        "on" => true,
        "off" => false,
        _ => return Err(ConsoleRefusal::UnknownAction),
    };
    call.session.choose_summary(is_on).await?;
    Ok(call.done(Done::Saved, "/summary"))
}
