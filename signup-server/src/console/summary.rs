//! The page on which a member chooses whether to get the summary of the organization by mail.

use askama::Template;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use signup_core::Zone;
use warp::http::StatusCode;

use super::{ConsoleRefusal, Done, Frame, MemberCall, PageResult, show};
use crate::page::{Head, times};
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "console/summary.html")]
struct SummaryTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    is_on: bool,
    /// The time of the summary in the zone of the newest event: `01:00 New York time`.
    local: Option<String>,
}

/// `GET …/summary`: shows whether the member gets the summary.
pub(crate) async fn show_summary(call: MemberCall) -> PageResult {
    let is_on = call.session.gets_summary().await?;
    let head = call.frame.head("Email summary");
    let local = call.frame.zone.as_ref().and_then(|zone| local(call.now(), zone));
    Ok(show(StatusCode::OK, &SummaryTemplate { head, frame: &call.frame, is_on, local }))
}

/// Returns the time of day of the summary in a zone, at the offset of `now`. `None` for UTC.
fn local(now: Timestamp, zone: &Zone) -> Option<String> {
    let sent = TimeZone::UTC.to_datetime(now).date().at(6, 0, 0, 0);
    let sent = TimeZone::UTC.to_timestamp(sent).ok()?;
    let clock = times::clock(times::wall(sent, zone), Texts::ENGLISH);
    let zone = times::zone_in_words(zone, Texts::ENGLISH);
    (zone != "UTC").then(|| format!("{clock} {zone}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_summary_is_also_said_as_the_clocks_of_the_organization_show_it() {
        let in_zone = |zone: &str| local("2026-11-29T19:00:00Z".parse().unwrap(), &zone.parse().unwrap());
        for (zone, words) in [
            ("America/New_York", Some("01:00 New York time")),
            ("America/Los_Angeles", Some("22:00 Los Angeles time")),
            ("Asia/Kolkata", Some("11:30 Kolkata time")),
            ("Etc/GMT+5", Some("01:00 Etc/GMT+5")),
            ("UTC", None),
        ] {
            assert_eq!(in_zone(zone).as_deref(), words);
        }
    }
}
