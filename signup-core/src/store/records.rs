//! The records of a store as plain collections, with the contract of [`Store`](crate::Store) in its simplest form.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::{
    ChangeSet, EventInFull, EventPage, EventQuery, NoticeCounts, Position, Refusal, Requirement, Side, Write,
};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::occupancy::Occupancy;
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
/// store that holds all its records in one process can keep them here behind a lock. The conformance suite compares every
/// store with this type.
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

fn require(holds: bool, refusal: Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal) }
}

impl Records {
    /// Checks the requirements in their order, and applies the writes if all of them hold.
    ///
    /// # Errors
    /// Returns the refusal of the first requirement that does not hold. Nothing was written then.
    pub fn commit(&mut self, change: ChangeSet) -> Result<(), Refusal> {
        change.requires.iter().try_for_each(|requirement| self.check(requirement))?;
        change.writes.into_iter().for_each(|write| self.apply(write));
        Ok(())
    }

    fn check(&self, requirement: &Requirement) -> Result<(), Refusal> {
        match requirement {
            Requirement::NoOrganization => {
                require(self.organizations.is_empty(), Refusal::OrganizationExists)
            }
            Requirement::OrganizationSlugFree(slug) => {
                require(self.organization_by_slug(slug).is_none(), Refusal::SlugTaken)
            }
            Requirement::EventSlugFree(slug) => {
                require(self.event_by_slug(slug).is_none(), Refusal::SlugTaken)
            }
            Requirement::NoReceipt { key, now } => match self.receipt(key, *now) {
                Some(receipt) => Err(Refusal::Receipt(Box::new(receipt))),
                None => Ok(()),
            },
            Requirement::ShiftAtVersion { organization, shift, version } => {
                let found = self.shift(*organization, *shift).map(|shift| shift.version);
                require(found == Some(*version), Refusal::ShiftChanged)
            }
            Requirement::QuestionCount { organization, event, count } => {
                let found = self.questions(*organization, *event).map(|questions| questions.len());
                require(found == Some(*count as usize), Refusal::QuestionsChanged)
            }
            Requirement::ActiveEventsBelow { organization, limit, now } => {
                let active = self.events_of(*organization).filter(|event| event.is_active(*now)).count();
                let count = u32::try_from(active).unwrap_or(u32::MAX);
                require(count < *limit, Refusal::ActiveEvents { count })
            }
            Requirement::ShiftHasRoom { organization, shift } => {
                let found = self.shift(*organization, *shift);
                require(found.is_some_and(|shift| shift.occupancy.has_room()), Refusal::ShiftFull)
            }
            Requirement::AddressNotOnShift { organization, shift, email } => {
                match self.confirmed(*organization, *shift).find(|signup| signup.email == *email) {
                    Some(signup) => Err(Refusal::AddressOnShift(Box::new(signup.clone()))),
                    None => Ok(()),
                }
            }
            Requirement::SignupConfirmed { organization, signup } => {
                let found = self.signup(*organization, *signup);
                require(found.is_some_and(|found| is_confirmed(&found)), Refusal::SignupNotConfirmed)
            }
            Requirement::SignupHasSecret { organization, signup, secret } => {
                let found = self.signup(*organization, *signup);
                let is_same = |found: Signup| is_confirmed(&found) && found.secret == *secret;
                require(found.is_some_and(is_same), Refusal::SignupChanged)
            }
            Requirement::NoticeAtVersion { organization, notice, version } => {
                let found = self.notices.get(notice).filter(|notice| notice.organization == *organization);
                require(found.is_some_and(|notice| notice.version == *version), Refusal::NoticeChanged)
            }
        }
    }

    fn apply(&mut self, write: Write) {
        match write {
            Write::InsertOrganization(new) => drop(self.organizations.insert(new.id, new)),
            Write::SetPlan { organization, plan } => {
                self.organizations.entry(organization).and_modify(|found| found.plan = plan);
            }
            Write::InsertToken(new) => drop(self.tokens.insert(new.id, new)),
            Write::RevokeToken { token, at } => {
                self.tokens.entry(token).and_modify(|found| found.revoked_at = found.revoked_at.or(Some(at)));
            }
            Write::InsertEvent { event, location_data } => {
                let full = EventInFull { event: *event, location_data, shifts: vec![], questions: vec![] };
                self.events.insert(full.event.id, full);
            }
            Write::InsertShifts(new) => {
                for shift in new {
                    if let Some(found) = self.events.get_mut(&shift.event) {
                        let (day, is_virtual) = (found.event.dates.first.clone(), found.event.is_virtual);
                        found.shifts.push(Arc::new(Shift { day, is_virtual, ..shift }));
                        found.shifts.sort_by_cached_key(|shift| shift.order_key());
                    }
                }
            }
            Write::InsertQuestions(new) => {
                for question in new {
                    if let Some(found) = self.events.get_mut(&question.event) {
                        found.questions.push(question);
                        found.questions.sort_by_key(|question| (question.position, question.id));
                    }
                }
            }
            Write::UpdateShift(new) => self.update_shift(new.organization, new.id, |found| {
                found.occupancy = Occupancy { capacity: new.occupancy.capacity, ..found.occupancy };
                found.title = new.title;
                found.location = new.location;
                found.hours = new.hours;
                found.version = new.version;
                found.updated_at = new.updated_at;
            }),
            Write::InsertSignup(new) => {
                self.update_shift(new.organization, new.shift, |shift| shift.occupancy.filled += 1);
                self.signups.insert(new.id, *new);
            }
            Write::CancelSignup { organization, signup, at } => {
                let Some(found) = self.signup_mut(organization, signup).filter(|found| is_confirmed(found))
                else {
                    return;
                };
                found.status = SignupStatus::Cancelled;
                found.cancelled_at = Some(at);
                let shift = found.shift;
                self.update_shift(organization, shift, |shift| shift.occupancy.filled -= 1);
            }
            Write::RenewSecret { organization, signup, secret, at } => {
                if let Some(found) = self.signup_mut(organization, signup) {
                    found.secret = secret;
                    found.mailed_at = at;
                }
            }
            Write::EraseSignup { organization, signup } => {
                let Some(found) = self.signup(organization, signup) else { return };
                if is_confirmed(&found) {
                    self.update_shift(organization, found.shift, |shift| shift.occupancy.filled -= 1);
                }
                self.signups.remove(&signup);
                self.notices.retain(|_, notice| notice.cause.signup() != Some(signup));
            }
            Write::InsertReceipt(new) => drop(self.receipts.insert(new.key.clone(), *new)),
            Write::InsertNotices(new) => self.notices.extend(new.into_iter().map(|new| (new.id, new))),
            Write::UpdateNotice(new) => {
                let found = self.notices.get_mut(&new.id);
                if let Some(found) = found.filter(|found| found.organization == new.organization) {
                    found.cause = new.cause;
                    found.version = new.version;
                    found.attempts = new.attempts;
                    found.due_at = new.due_at;
                    found.failure = new.failure;
                }
            }
            Write::DeleteNotice { organization, notice } => {
                self.notices.retain(|id, found| *id != notice || found.organization != organization);
            }
        }
    }

    fn signup_mut(&mut self, organization: OrganizationId, id: SignupId) -> Option<&mut Signup> {
        self.signups.get_mut(&id).filter(|signup| signup.organization == organization)
    }

    /// Changes a shift, and restores the running order of its event.
    fn update_shift(&mut self, organization: OrganizationId, id: ShiftId, change: impl FnOnce(&mut Shift)) {
        let mut owned = self.events.values_mut().filter(|full| full.event.organization == organization);
        if let Some((full, index)) = owned
            .find_map(|full| full.shifts.iter().position(|shift| shift.id == id).map(|index| (full, index)))
        {
            change(Arc::make_mut(&mut full.shifts[index]));
            full.shifts.sort_by_cached_key(|shift| shift.order_key());
        }
    }

    fn events_of(&self, organization: OrganizationId) -> impl Iterator<Item = &Event> {
        self.events.values().map(|full| &full.event).filter(move |event| event.organization == organization)
    }

    fn confirmed(&self, organization: OrganizationId, shift: ShiftId) -> impl Iterator<Item = &Signup> {
        self.signups.values().filter(move |signup| {
            signup.organization == organization && signup.shift == shift && is_confirmed(signup)
        })
    }
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

    /// Reads which organization owns the event.
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
        let events: Vec<_> = list[start..end].iter().copied().cloned().map(Arc::new).collect();
        let beside =
            |event: &Arc<Event>, side| Position { starts_at: event.dates.starts_at(), id: event.id, side };
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
    pub fn shifts(&self, organization: OrganizationId, event: EventId) -> Option<Vec<Arc<Shift>>> {
        self.event_in_full(organization, event).map(|full| full.shifts)
    }

    /// Reads a shift.
    #[doc(alias = "slot")]
    pub fn shift(&self, organization: OrganizationId, id: ShiftId) -> Option<Shift> {
        let mut shifts = self.events.values().flat_map(|full| &full.shifts);
        let found = shifts.find(|shift| shift.id == id && shift.organization == organization)?;
        Some(Shift::clone(found))
    }

    /// Lists the event's questions.
    pub fn questions(&self, organization: OrganizationId, event: EventId) -> Option<Vec<Question>> {
        self.event_in_full(organization, event).map(|full| full.questions)
    }

    /// Lists at most `limit` sign-ups of the event with an id above `after`.
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

    /// Lists at most `limit` confirmed sign-ups for the shift with an id above `after`.
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

/// Returns the key by which the list of events is sorted, in descending order.
fn sort_key(event: &Event) -> (Timestamp, EventId) {
    (event.dates.starts_at(), event.id)
}
