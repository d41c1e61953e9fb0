//! Volunteers over all events of an organization: what the sign-ups of one address say together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::hours::EventDate;
use crate::id::SignupId;
use crate::shift::ScheduledShift;
use crate::signup::{Attendance, Signup};
use crate::store::VolunteerKey;
use crate::text::{EmailAddress, PersonName, name_order};

/// The people who share an address, with the totals of their sign-ups. Sign-ups of deleted events are left out, and those for
/// deleted shifts count, as in the lists of sign-ups.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Volunteer {
    /// The address as the newest sign-up has it.
    pub email: EmailAddress,
    /// The names, each as its newest sign-up has it, in the root collation of Unicode.
    pub names: Vec<PersonName>,
    /// The newest sign-up.
    pub newest: SignupId,
    /// The number of confirmed sign-ups.
    pub confirmed: u32,
    /// The number of sign-ups whose volunteer came.
    pub attended: u32,
    /// The number of sign-ups whose volunteer did not come.
    pub absent: u32,
    /// The sum of the [times](Signup::time_helped) that the volunteers helped.
    pub time_helped: SignedDuration,
    /// The first and the last start of a shift with a confirmed sign-up; `None` if there is none.
    pub starts: Option<(ShiftStart, ShiftStart)>,
}

/// When a shift starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShiftStart {
    /// The instant.
    pub at: Timestamp,
    /// The day by the clock of the event.
    pub date: EventDate,
}

impl Volunteer {
    /// Returns the volunteers of sign-ups with their shifts, by the [key](EmailAddress::key) of the address.
    pub fn of_signups(signups: impl IntoIterator<Item = (Signup, ScheduledShift)>) -> Vec<Self> {
        let mut mailboxes: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (signup, shift) in signups {
            mailboxes.entry(signup.email.key().to_owned()).or_default().push((signup, shift));
        }
        mailboxes.into_values().filter_map(Self::of_mailbox).collect()
    }

    fn of_mailbox(mut signups: Vec<(Signup, ScheduledShift)>) -> Option<Self> {
        signups.sort_by_key(|(signup, _)| Reverse(signup.id));
        let (newest, _) = signups.first()?;
        let mut volunteer = Self {
            email: newest.email.clone(),
            names: vec![],
            newest: newest.id,
            confirmed: 0,
            attended: 0,
            absent: 0,
            time_helped: SignedDuration::ZERO,
            starts: None,
        };
        let mut names = BTreeMap::new();
        for (signup, shift) in signups {
            if signup.is_confirmed() {
                let start = ShiftStart { at: shift.interval().start, date: shift.date() };
                let (first, last) = volunteer.starts.unwrap_or((start, start));
                volunteer.starts = Some((first.min(start), last.max(start)));
                volunteer.confirmed += 1;
            }
            match signup.attendance {
                Some(Attendance::Attended) => volunteer.attended += 1,
                Some(Attendance::Absent) => volunteer.absent += 1,
                None => {}
            }
            volunteer.time_helped += signup.time_helped(&shift).unwrap_or_default();
            names.entry(signup.name.key()).or_insert(signup.name);
        }
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_by_cached_key(|(key, _)| name_order(key));
        volunteer.names = names.into_iter().map(|(_, name)| name).collect();
        Some(volunteer)
    }

    /// Returns the sort key in a list by name, or by address.
    pub fn key(&self, is_by_name: bool) -> VolunteerKey {
        let name = self.names.first().filter(|_| is_by_name).map(PersonName::sort_key);
        VolunteerKey { name, email: self.email.clone() }
    }
}
