//! The records, and the indexes for the reads of sessions, volunteers and deliveries.
//!
//! The cost of an indexed read is proportional to the length of its answer. A list of sign-ups with a filter by status
//! also visits the sign-ups that the filter leaves out. The operator's reads `tokens`, `deleted_events` and `notices` may
//! visit all records of their kind.
//!
//! A deleted record stays in its table, and its id is in the table of deleted ones. Indexes of lists and totals have no
//! deleted records.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use jiff::Timestamp;
use signup_core::{
    DeletedEvent, Digest, Event, EventId, EventInFull, EventPage, EventQuery, LocationData, Notice, NoticeId,
    Organization, OrganizationId, Position, Question, QuestionId, Receipt, ReceiptKey, Shift, ShiftId, Side,
    Signup, SignupId, Token, TokenId,
};

/// The sort key of a list: latest start first, equal starts by descending id.
type ListKey = (Reverse<Timestamp>, Reverse<EventId>);

/// The key of a list: an organization, and the filter (all events, published ones, or drafts).
type List = (OrganizationId, Option<bool>);

/// A list of sign-ups.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SignupList {
    Organization(OrganizationId),
    Event(EventId),
    Shift(ShiftId),
    /// The sign-ups of an address, written as its key.
    Address(OrganizationId, String),
}

impl SignupList {
    /// Returns the lists that have `signup`.
    pub(crate) fn all(signup: &Signup) -> [Self; 4] {
        [
            Self::Organization(signup.organization),
            Self::Event(signup.event),
            Self::Shift(signup.shift),
            Self::Address(signup.organization, signup.email.key()),
        ]
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tables {
    pub(crate) organizations: BTreeMap<OrganizationId, Organization>,
    pub(crate) organization_slugs: BTreeMap<String, OrganizationId>,
    pub(crate) tokens: BTreeMap<TokenId, Token>,
    pub(crate) token_digests: BTreeMap<Digest, TokenId>,
    pub(crate) events: BTreeMap<EventId, Event>,
    /// When each deleted event was deleted.
    pub(crate) deleted_events: BTreeMap<EventId, Timestamp>,
    /// The slugs of all events, deleted ones included.
    pub(crate) event_slugs: BTreeMap<String, EventId>,
    /// Location data by event. Only `event_in_full` and `event_by_slug` return location data.
    pub(crate) location_data: BTreeMap<EventId, LocationData>,
    /// The sort keys of the events in each list.
    pub(crate) lists: BTreeMap<List, BTreeSet<ListKey>>,
    /// The index of published events that are not cancelled, by the end of their last day.
    pub(crate) active_ends: BTreeSet<(OrganizationId, Timestamp, EventId)>,
    /// The shifts, with the day and `is_virtual` of their events.
    pub(crate) shifts: BTreeMap<ShiftId, Shift>,
    /// When each deleted shift was deleted.
    pub(crate) deleted_shifts: BTreeMap<ShiftId, Timestamp>,
    /// The shifts that have no room any more.
    pub(crate) closed_shifts: BTreeSet<ShiftId>,
    /// The shifts of each event, deleted ones included.
    pub(crate) shifts_of_event: BTreeMap<EventId, BTreeSet<ShiftId>>,
    pub(crate) questions: BTreeMap<QuestionId, Question>,
    /// The index of questions by event, position and id.
    pub(crate) question_positions: BTreeSet<(EventId, u32, QuestionId)>,
    pub(crate) signups: BTreeMap<SignupId, Signup>,
    /// The sign-ups of each list, those of deleted events included.
    pub(crate) signup_lists: BTreeMap<SignupList, BTreeSet<SignupId>>,
    pub(crate) confirmed_of_shift: BTreeMap<ShiftId, BTreeSet<SignupId>>,
    pub(crate) signup_secrets: BTreeMap<Digest, SignupId>,
    /// The confirmed sign-up of each address on each shift.
    pub(crate) places: BTreeMap<(ShiftId, String), SignupId>,
    pub(crate) receipts: BTreeMap<ReceiptKey, Receipt>,
    /// The index of receipts by expiry.
    pub(crate) receipt_ends: BTreeSet<(Timestamp, ReceiptKey)>,
    pub(crate) notices: BTreeMap<NoticeId, Notice>,
    pub(crate) notices_of_shift: BTreeSet<(ShiftId, NoticeId)>,
    /// The index of queued notices by due time.
    pub(crate) due: BTreeSet<(Timestamp, NoticeId)>,
}

fn list_key(event: &Event) -> ListKey {
    (Reverse(event.dates.starts_at()), Reverse(event.id))
}

impl Tables {
    pub(crate) fn event(&self, organization: OrganizationId, id: EventId) -> Option<&Event> {
        self.stored_event(organization, id).filter(|event| !self.deleted_events.contains_key(&event.id))
    }

    /// Returns an event, deleted or not.
    pub(crate) fn stored_event(&self, organization: OrganizationId, id: EventId) -> Option<&Event> {
        self.events.get(&id).filter(|event| event.organization == organization)
    }

    pub(crate) fn deleted_event(&self, organization: OrganizationId, id: EventId) -> Option<DeletedEvent> {
        let deleted_at = *self.deleted_events.get(&id)?;
        let event = self.stored_event(organization, id)?.clone();
        Some(DeletedEvent::new(event, deleted_at))
    }

    pub(crate) fn event_by_slug(&self, slug: &str) -> Option<&Event> {
        let id = self.event_slugs.get(slug).filter(|id| !self.deleted_events.contains_key(id))?;
        self.events.get(id)
    }

    /// Returns a shift of an event that is not deleted.
    pub(crate) fn shift(&self, organization: OrganizationId, id: ShiftId) -> Option<&Shift> {
        self.live_shift(organization, id).filter(|shift| !self.deleted_events.contains_key(&shift.event))
    }

    /// Returns a shift that is not deleted itself. Its event may be deleted.
    pub(crate) fn live_shift(&self, organization: OrganizationId, id: ShiftId) -> Option<&Shift> {
        self.stored_shift(organization, id).filter(|shift| !self.deleted_shifts.contains_key(&shift.id))
    }

    /// Returns a shift, deleted or not.
    pub(crate) fn stored_shift(&self, organization: OrganizationId, id: ShiftId) -> Option<&Shift> {
        self.shifts.get(&id).filter(|shift| shift.organization == organization)
    }

    pub(crate) fn question(&self, organization: OrganizationId, id: QuestionId) -> Option<&Question> {
        let question = self.questions.get(&id).filter(|question| question.organization == organization)?;
        (!self.deleted_events.contains_key(&question.event)).then_some(question)
    }

    pub(crate) fn notice(&self, organization: OrganizationId, id: NoticeId) -> Option<&Notice> {
        self.notices.get(&id).filter(|notice| notice.organization == organization)
    }

    pub(crate) fn shifts_of(&self, event: &Event) -> Vec<Shift> {
        let ids = self.shifts_of_event.get(&event.id).into_iter().flatten();
        let live = ids.filter(|id| !self.deleted_shifts.contains_key(id));
        let mut shifts: Vec<_> = live.filter_map(|id| self.shifts.get(id)).cloned().collect();
        shifts.sort_by_cached_key(Shift::order_key);
        shifts
    }

    pub(crate) fn in_full(&self, event: &Event) -> EventInFull {
        let mut full = EventInFull::new(event.clone(), self.shifts_of(event), self.questions_of(event));
        full.location_data = self.location_data.get(&event.id).cloned();
        full
    }

    pub(crate) fn questions_of(&self, event: &Event) -> Vec<Question> {
        self.question_ids_of(event.id).filter_map(|id| self.questions.get(&id)).cloned().collect()
    }

    pub(crate) fn question_ids_of(&self, event: EventId) -> impl Iterator<Item = QuestionId> {
        let first = (event, 0, QuestionId::NONE);
        let ids = self.question_positions.range(first..).take_while(move |(id, _, _)| *id == event);
        ids.map(|(_, _, id)| *id)
    }

    pub(crate) fn notice_ids_of(&self, shift: ShiftId) -> impl Iterator<Item = NoticeId> {
        let ids =
            self.notices_of_shift.range((shift, NoticeId::NONE)..).take_while(move |(id, _)| *id == shift);
        ids.map(|(_, id)| *id)
    }

    pub(crate) fn events(&self, organization: OrganizationId, query: &EventQuery) -> EventPage {
        let Some(list) = self.lists.get(&(organization, query.is_published)) else {
            return EventPage::new(Vec::new());
        };
        let limit = query.limit as usize;
        // A page above a position is collected upwards from the position, and then reversed.
        let mut page: Vec<ListKey> = match query.position {
            None => list.iter().copied().take(limit).collect(),
            Some(at @ Position { side: Side::Below, .. }) => {
                list.range(beyond(position_key(at))).copied().take(limit).collect()
            }
            Some(at @ Position { side: Side::Above, .. }) => {
                list.range(..position_key(at)).rev().copied().take(limit).collect()
            }
        };
        if query.position.is_some_and(|at| at.side == Side::Above) {
            page.reverse();
        }
        let above = page.first().copied().filter(|first| list.range(..*first).next().is_some());
        let below = page.last().copied().filter(|last| list.range(beyond(*last)).next().is_some());
        let events = page.iter().filter_map(|(_, Reverse(id))| self.events.get(id)).cloned();
        let mut found = EventPage::new(events.collect());
        found.above = above.map(|first| position(first, Side::Above));
        found.below = below.map(|last| position(last, Side::Below));
        found
    }

    pub(crate) fn active_events(&self, organization: OrganizationId, now: Timestamp) -> usize {
        // An event that ends at `now` is over.
        let first = (Bound::Excluded((organization, now, EventId::MAX)), Bound::Unbounded);
        self.active_ends.range(first).take_while(|(owner, _, _)| *owner == organization).count()
    }

    /// Adds an event to the indexes of lists and of active events. A deleted event is in none of them.
    pub(crate) fn index_event(&mut self, event: &Event) {
        for filter in [None, Some(event.is_published)] {
            let list = self.lists.entry((event.organization, filter)).or_default();
            list.insert(list_key(event));
        }
        if event.is_published && !event.is_cancelled() {
            self.active_ends.insert((event.organization, event.dates.ends_at(), event.id));
        }
    }

    /// Removes an event from the indexes that [`index_event`](Self::index_event) added it to.
    pub(crate) fn unindex_event(&mut self, event: &Event) {
        for filter in [None, Some(event.is_published)] {
            if let Some(list) = self.lists.get_mut(&(event.organization, filter)) {
                list.remove(&list_key(event));
            }
        }
        self.active_ends.remove(&(event.organization, event.dates.ends_at(), event.id));
    }
}

fn position_key(position: Position) -> ListKey {
    (Reverse(position.starts_at), Reverse(position.id))
}

fn position((Reverse(starts_at), Reverse(id)): ListKey, side: Side) -> Position {
    Position { starts_at, id, side }
}

fn beyond(key: ListKey) -> (Bound<ListKey>, Bound<ListKey>) {
    (Bound::Excluded(key), Bound::Unbounded)
}
