//! The records of a store as plain collections, with the contract of [`Store`](crate::Store) in its simplest form.

mod commit;
mod purge;
mod signups;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{DeletedEvent, EventInFull, EventPage, EventQuery, NoticeCounts, Position, Side};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, QuestionId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::organization::Organization;
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::text::{EmailAddress, LocationData};
use crate::token::Token;

/// The records of a store as plain collections.
///
/// The reads and [`commit`](Self::commit) do what the methods of [`Store`](crate::Store) with the same names promise. A
/// store that holds all its records in one process can keep them here behind a lock. The conformance suite compares
/// every store with this type.
///
/// There are no indexes: a lookup by anything but an id visits all records of its kind. The source is the shortest
/// complete form of the contract, so read it to learn what a requirement checks and what a write changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Records {
    organizations: BTreeMap<OrganizationId, Organization>,
    tokens: BTreeMap<TokenId, Token>,
    events: BTreeMap<EventId, StoredEvent>,
    signups: BTreeMap<SignupId, Signup>,
    receipts: BTreeMap<ReceiptKey, Receipt>,
    notices: BTreeMap<NoticeId, Notice>,
}

/// An event with what belongs to it, deleted or not.
#[derive(Debug, Clone, PartialEq)]
struct StoredEvent {
    event: Event,
    location_data: Option<LocationData>,
    /// In running order.
    shifts: Vec<StoredShift>,
    /// By position, equal positions by id.
    questions: Vec<Question>,
    deleted_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq)]
struct StoredShift {
    shift: Shift,
    is_closed: bool,
    deleted_at: Option<Timestamp>,
}

impl StoredEvent {
    fn in_full(&self) -> EventInFull {
        EventInFull {
            event: self.event.clone(),
            location_data: self.location_data.clone(),
            shifts: self
                .shifts
                .iter()
                .filter(|found| found.deleted_at.is_none())
                .map(|found| found.shift.clone())
                .collect(),
            questions: self.questions.clone(),
        }
    }

    fn deleted(&self) -> Option<DeletedEvent> {
        self.deleted_at.map(|deleted_at| DeletedEvent { event: self.event.clone(), deleted_at })
    }
}

/// Clones at most `limit` records.
fn page<'a, T: Clone + 'a>(records: impl Iterator<Item = &'a T>, limit: u32) -> Vec<T> {
    records.take(limit as usize).cloned().collect()
}

fn is_confirmed(signup: &Signup) -> bool {
    signup.status == SignupStatus::Confirmed
}

/// The reads of [`Store`](crate::Store).
impl Records {
    /// Reads an organization.
    pub fn organization(&self, id: OrganizationId) -> Option<Organization> {
        self.organizations.get(&id).cloned()
    }

    /// Reads the organization with this slug.
    pub fn organization_by_slug(&self, slug: &str) -> Option<Organization> {
        self.organizations.values().find(|organization| organization.slug == slug).cloned()
    }

    /// Lists at most `limit` organizations with an id above `after`.
    pub fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Vec<Organization> {
        page(self.organizations.values().filter(|found| after.is_none_or(|after| found.id > after)), limit)
    }

    /// Reads the token with this digest and its organization.
    pub fn token_by_digest(&self, digest: &Digest) -> Option<(Token, Organization)> {
        let token = self.tokens.values().find(|token| token.digest == *digest)?;
        Some((token.clone(), self.organization(token.organization)?))
    }

    /// Reads a token.
    pub fn token(&self, id: TokenId) -> Option<Token> {
        self.tokens.get(&id).cloned()
    }

    /// Lists the tokens of the organization.
    pub fn tokens(&self, organization: OrganizationId) -> Vec<Token> {
        self.tokens.values().filter(|token| token.organization == organization).cloned().collect()
    }

    /// Reads the id of the organization that owns the event, deleted or not.
    pub fn event_owner(&self, id: EventId) -> Option<OrganizationId> {
        self.events.get(&id).map(|found| found.event.organization)
    }

    /// Reads an event.
    pub fn event(&self, organization: OrganizationId, id: EventId) -> Option<Event> {
        self.event_in_full(organization, id).map(|full| full.event)
    }

    /// Reads an event with its location data, shifts and questions.
    pub fn event_in_full(&self, organization: OrganizationId, id: EventId) -> Option<EventInFull> {
        let found = self.events.get(&id).filter(|found| found.deleted_at.is_none())?;
        (found.event.organization == organization).then(|| found.in_full())
    }

    /// Lists at most `limit` deleted events with an id above `after`.
    pub fn deleted_events(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Vec<DeletedEvent> {
        let deleted = self.events.values().filter_map(StoredEvent::deleted);
        let owned = deleted.filter(|found| found.event.organization == organization);
        owned.filter(|found| after.is_none_or(|after| found.event.id > after)).take(limit as usize).collect()
    }

    /// Reads a deleted event.
    pub fn deleted_event(&self, organization: OrganizationId, id: EventId) -> Option<DeletedEvent> {
        let found = self.events.get(&id).filter(|found| found.event.organization == organization)?;
        found.deleted()
    }

    /// Reads a page of the organization's events.
    pub fn events(&self, organization: OrganizationId, query: &EventQuery) -> EventPage {
        let is_selected = |event: &&Event| query.is_published.is_none_or(|flag| flag == event.is_published);
        let mut list: Vec<_> = self.events_of(organization).filter(is_selected).collect();
        list.sort_by_key(|event| Reverse(sort_key(event)));
        let limit = query.limit as usize;
        let beside = query.position.map(|Position { starts_at, id, side }| {
            let above = list.partition_point(|event| sort_key(event) > (starts_at, id));
            let at_or_above = list.partition_point(|event| sort_key(event) >= (starts_at, id));
            (side, above, at_or_above)
        });
        let (start, end) = bounds(list.len(), limit, beside);
        let events: Vec<_> = list[start..end].iter().copied().cloned().collect();
        let beside =
            |event: &Event, side| Position { starts_at: event.dates.starts_at(), id: event.id, side };
        EventPage {
            above: events.first().filter(|_| start > 0).map(|first| beside(first, Side::Above)),
            below: events.last().filter(|_| end < list.len()).map(|last| beside(last, Side::Below)),
            events,
        }
    }

    /// Reads the event with this slug, of any organization.
    pub fn event_by_slug(&self, slug: &str) -> Option<EventInFull> {
        let found = self.events.values().find(|found| found.event.slug == slug)?;
        found.deleted_at.is_none().then(|| found.in_full())
    }

    /// Lists the event's shifts.
    #[doc(alias = "slots")]
    pub fn shifts(&self, organization: OrganizationId, event: EventId) -> Option<Vec<Shift>> {
        self.event_in_full(organization, event).map(|full| full.shifts)
    }

    /// Reads a shift.
    #[doc(alias = "slot")]
    pub fn shift(&self, organization: OrganizationId, id: ShiftId) -> Option<Shift> {
        let (event, found) = self.stored_shift(organization, id)?;
        (event.deleted_at.is_none() && found.deleted_at.is_none()).then(|| found.shift.clone())
    }

    /// Reads a shift with its event.
    pub fn shift_with_event(&self, organization: OrganizationId, id: ShiftId) -> Option<(Shift, Event)> {
        let shift = self.shift(organization, id)?;
        let event = self.event(organization, shift.event)?;
        Some((shift, event))
    }

    /// Lists the event's questions.
    pub fn questions(&self, organization: OrganizationId, event: EventId) -> Option<Vec<Question>> {
        self.event_in_full(organization, event).map(|full| full.questions)
    }

    /// Reads a question.
    pub fn question(&self, organization: OrganizationId, id: QuestionId) -> Option<Question> {
        let live = self.events.values().filter(|found| found.deleted_at.is_none());
        let found = live.flat_map(|found| &found.questions).find(|question| question.id == id);
        found.filter(|question| question.organization == organization).cloned()
    }

    /// Reads a sign-up.
    pub fn signup(&self, organization: OrganizationId, id: SignupId) -> Option<Signup> {
        let found = self.signups.get(&id).filter(|signup| signup.organization == organization);
        found.filter(|signup| !self.is_hidden(signup)).cloned()
    }

    /// Lists the shift's confirmed sign-ups: at most `limit` with an id above `after`.
    pub fn confirmed_signups(
        &self,
        organization: OrganizationId,
        shift: ShiftId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Vec<Signup> {
        let signups = self.confirmed(organization, shift);
        page(signups.filter(|signup| after.is_none_or(|after| signup.id > after)), limit)
    }

    /// Lists at most `limit` sign-ups of the address for all shifts of the organization.
    pub fn signups_of_address(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
        limit: u32,
    ) -> Vec<Signup> {
        let of_address = |signup: &&Signup| signup.organization == organization && signup.email == *email;
        page(self.signups.values().filter(of_address), limit)
    }

    /// Reads the sign-up with this secret, of any organization.
    pub fn signup_by_secret(&self, secret: &Digest) -> Option<Signup> {
        let found = self.signups.values().find(|signup| signup.secret == *secret);
        found.filter(|signup| !self.is_hidden(signup)).cloned()
    }

    /// Reads the receipt with this key, if it is live at `now`.
    pub fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Option<Receipt> {
        self.receipts.get(key).filter(|receipt| receipt.is_live(now)).cloned()
    }

    /// Lists at most `limit` failed or queued notices with an id above `after`.
    pub fn notices(&self, have_failed: bool, after: Option<NoticeId>, limit: u32) -> Vec<Notice> {
        let notices = self.notices.values().filter(|notice| notice.failure.is_some() == have_failed);
        page(notices.filter(|notice| after.is_none_or(|after| notice.id > after)), limit)
    }

    /// Reads a notice.
    pub fn notice(&self, id: NoticeId) -> Option<Notice> {
        self.notices.get(&id).cloned()
    }

    /// Lists at most `limit` queued notices that are due at or before `now`, or after `latest`.
    pub fn due_notices(&self, now: Timestamp, latest: Timestamp, limit: u32) -> Vec<Notice> {
        let is_due = |due_at: Timestamp| due_at <= now || due_at > latest;
        let queued = self.notices.values().filter(|notice| notice.failure.is_none());
        let mut due: Vec<_> = queued.filter(|notice| is_due(notice.due_at)).collect();
        due.sort_by_key(|notice| (notice.due_at, notice.id));
        page(due.into_iter(), limit)
    }

    /// Counts the notices.
    pub fn count_notices(&self) -> NoticeCounts {
        let failed = self.notices.values().filter(|notice| notice.failure.is_some()).count() as u64;
        NoticeCounts { queued: self.notices.len() as u64 - failed, failed }
    }
}

impl Records {
    fn events_of(&self, organization: OrganizationId) -> impl Iterator<Item = &Event> {
        let live = self.events.values().filter(|found| found.deleted_at.is_none());
        live.map(|found| &found.event).filter(move |event| event.organization == organization)
    }

    /// Returns a shift, deleted or not, and its event.
    fn stored_shift(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> Option<(&StoredEvent, &StoredShift)> {
        let owned = self.events.values().filter(|found| found.event.organization == organization);
        owned
            .flat_map(|found| found.shifts.iter().map(move |shift| (found, shift)))
            .find(|(_, found)| found.shift.id == id)
    }

    /// Returns whether the event of a sign-up is deleted.
    fn is_hidden(&self, signup: &Signup) -> bool {
        self.events.get(&signup.event).is_some_and(|found| found.deleted_at.is_some())
    }

    fn confirmed(&self, organization: OrganizationId, shift: ShiftId) -> impl Iterator<Item = &Signup> {
        self.signups.values().filter(move |signup| {
            signup.organization == organization && signup.shift == shift && is_confirmed(signup)
        })
    }
}

/// Returns the bounds of a page in a list of `length` records. A position has its side, the number of records above it, and
/// the number of those above or at it.
fn bounds(length: usize, limit: usize, position: Option<(Side, usize, usize)>) -> (usize, usize) {
    match position {
        None => (0, limit.min(length)),
        Some((Side::Below, _, start)) => (start, (start + limit).min(length)),
        Some((Side::Above, end, _)) => (end.saturating_sub(limit), end),
    }
}

/// Returns the key by which the list of events is sorted, in descending order.
fn sort_key(event: &Event) -> (Timestamp, EventId) {
    (event.dates.starts_at(), event.id)
}
