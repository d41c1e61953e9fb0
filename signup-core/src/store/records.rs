//! The records of a store as plain collections, with the contract of [`Store`](crate::Store) in its simplest form.

mod commit;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{EventInFull, EventPage, EventQuery, NoticeCounts, Position, Side};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::organization::Organization;
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::text::EmailAddress;
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
    events: BTreeMap<EventId, EventInFull>,
    signups: BTreeMap<SignupId, Signup>,
    receipts: BTreeMap<ReceiptKey, Receipt>,
    notices: BTreeMap<NoticeId, Notice>,
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

    /// Reads the id of the organization that owns the event.
    pub fn event_owner(&self, id: EventId) -> Option<OrganizationId> {
        self.events.get(&id).map(|full| full.event.organization)
    }

    /// Reads an event.
    pub fn event(&self, organization: OrganizationId, id: EventId) -> Option<Event> {
        self.event_in_full(organization, id).map(|full| full.event)
    }

    /// Reads an event with its location data, shifts and questions.
    pub fn event_in_full(&self, organization: OrganizationId, id: EventId) -> Option<EventInFull> {
        self.events.get(&id).filter(|full| full.event.organization == organization).cloned()
    }

    /// Reads a page of the organization's events.
    pub fn events(&self, organization: OrganizationId, query: &EventQuery) -> EventPage {
        let is_selected = |event: &&Event| query.is_published.is_none_or(|flag| flag == event.is_published);
        let mut list: Vec<_> = self.events_of(organization).filter(is_selected).collect();
        list.sort_by_key(|event| Reverse(sort_key(event)));
        let limit = query.limit as usize;
        // The page is `list[start..end]`.
        let (start, end) = match query.position {
            None => (0, limit.min(list.len())),
            Some(Position { starts_at, id, side: Side::Below }) => {
                let start = list.partition_point(|event| sort_key(event) >= (starts_at, id));
                (start, (start + limit).min(list.len()))
            }
            Some(Position { starts_at, id, side: Side::Above }) => {
                let end = list.partition_point(|event| sort_key(event) > (starts_at, id));
                (end.saturating_sub(limit), end)
            }
        };
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
        self.events.values().find(|full| full.event.slug == slug).cloned()
    }

    /// Lists the event's shifts.
    #[doc(alias = "slots")]
    pub fn shifts(&self, organization: OrganizationId, event: EventId) -> Option<Vec<Shift>> {
        self.event_in_full(organization, event).map(|full| full.shifts)
    }

    /// Reads a shift.
    #[doc(alias = "slot")]
    pub fn shift(&self, organization: OrganizationId, id: ShiftId) -> Option<Shift> {
        let mut shifts = self.events.values().flat_map(|full| &full.shifts);
        let found = shifts.find(|shift| shift.id == id && shift.organization == organization)?;
        Some(found.clone())
    }

    /// Lists the event's questions.
    pub fn questions(&self, organization: OrganizationId, event: EventId) -> Option<Vec<Question>> {
        self.event_in_full(organization, event).map(|full| full.questions)
    }

    /// Lists the event's sign-ups: at most `limit` with an id above `after`.
    pub fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Vec<Signup> {
        let of_event = |signup: &&Signup| signup.organization == organization && signup.event == event;
        let signups = self.signups.values().filter(of_event);
        page(signups.filter(|signup| after.is_none_or(|after| signup.id > after)), limit)
    }

    /// Reads a sign-up.
    pub fn signup(&self, organization: OrganizationId, id: SignupId) -> Option<Signup> {
        self.signups.get(&id).filter(|signup| signup.organization == organization).cloned()
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
        self.signups.values().find(|signup| signup.secret == *secret).cloned()
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

    /// Removes at most `limit` expired receipts, and returns how many were removed.
    pub fn purge_receipts(&mut self, now: Timestamp, limit: u32) -> u64 {
        let expired = self.receipts.values().filter(|receipt| !receipt.is_live(now));
        let mut expired: Vec<_> = expired.map(|receipt| (receipt.expires_at, receipt.key.clone())).collect();
        expired.sort_unstable();
        expired.truncate(limit as usize);
        expired.iter().for_each(|(_, key)| drop(self.receipts.remove(key)));
        expired.len() as u64
    }
}

impl Records {
    fn events_of(&self, organization: OrganizationId) -> impl Iterator<Item = &Event> {
        self.events.values().map(|full| &full.event).filter(move |event| event.organization == organization)
    }

    fn confirmed(&self, organization: OrganizationId, shift: ShiftId) -> impl Iterator<Item = &Signup> {
        self.signups.values().filter(move |signup| {
            signup.organization == organization && signup.shift == shift && is_confirmed(signup)
        })
    }
}

/// Returns the key by which the list of events is sorted, in descending order.
fn sort_key(event: &Event) -> (Timestamp, EventId) {
    (event.dates.starts_at(), event.id)
}
