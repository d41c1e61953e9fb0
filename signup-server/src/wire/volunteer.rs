//! The JSON of volunteers.

use serde::Serialize;
use serde_json::Number;
use signup_core::VolunteerQuery;

use super::{Instant, Page};
use crate::signup_table::hours;

/// The people who share an address, with the totals of their sign-ups.
#[derive(Debug, Serialize)]
pub(crate) struct Volunteer<'a> {
    email: &'a str,
    names: Vec<&'a str>,
    signups: u32,
    attended: u32,
    absent: u32,
    hours: Number,
    first_slot_at: Option<Instant>,
    last_slot_at: Option<Instant>,
}

impl<'a> Volunteer<'a> {
    fn new(volunteer: &'a signup_core::Volunteer) -> Self {
        let (first, last) = volunteer.starts.unzip();
        Self {
            email: volunteer.email.as_str(),
            names: volunteer.names.iter().map(signup_core::PersonName::as_str).collect(),
            signups: volunteer.confirmed,
            attended: volunteer.attended,
            absent: volunteer.absent,
            // Never fails: it is a decimal number.
            hours: hours(volunteer.time_helped).parse().unwrap_or_else(|_| 0.into()),
            first_slot_at: first.map(|start| Instant(start.at)),
            last_slot_at: last.map(|start| Instant(start.at)),
        }
    }
}

/// Returns a page of the list of volunteers at `path`. The links keep what `query` selects.
pub(crate) fn volunteer_page<'a>(
    query: &VolunteerQuery,
    page: &'a signup_core::Page<signup_core::Volunteer>,
    path: String,
) -> Page<Volunteer<'a>> {
    let email = query.email.as_ref().map(|email| ("email", email.as_str().to_owned()));
    Page::new(page, Volunteer::new, path, query.limit, [email])
}
