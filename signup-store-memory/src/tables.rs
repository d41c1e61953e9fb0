//! The records, and the indexes for the reads of sessions, volunteers and deliveries.
//!
//! The cost of an indexed read is proportional to the length of its answer. The operator's reads `tokens`,
//! `signups_of_address` and `notices` may visit all records of their kind.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use jiff::Timestamp;
use signup_core::{
    Digest, Event, EventId, EventInFull, EventPage, EventQuery, LocationData, Notice, NoticeId, Organization,
    OrganizationId, Position, Question, QuestionId, Receipt, ReceiptKey, Shift, ShiftId, Side, Signup,
    SignupId, Token, TokenId,
};

/// The sort key of a list: latest start first, equal starts by descending id.
type ListKey = (Reverse<Timestamp>, Reverse<EventId>);

/// The key of a list: an organization, and the filter (all events, published ones, or drafts).
type List = (OrganizationId, Option<bool>);

#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) organizations: BTreeMap<OrganizationId, Organization>,
    pub(crate) organization_slugs: BTreeMap<String, OrganizationId>,
    pub(crate) tokens: BTreeMap<TokenId, Token>,
    pub(crate) token_digests: BTreeMap<Digest, TokenId>,
    pub(crate) events: BTreeMap<EventId, Event>,
    pub(crate) event_slugs: BTreeMap<String, EventId>,
    /// Location data by event. Only `event_in_full` and `event_by_slug` return location data.
    pub(crate) location_data: BTreeMap<EventId, LocationData>,
    /// The sort keys of the events in each list.
    pub(crate) lists: BTreeMap<List, BTreeSet<ListKey>>,
    /// The index of published events by the end of their last day.
    pub(crate) published_ends: BTreeSet<(OrganizationId, Timestamp, EventId)>,
    /// The shifts, with the day and `is_virtual` of their events. No write changes these two fields.
    pub(crate) shifts: BTreeMap<ShiftId, Shift>,
    pub(crate) shifts_of_event: BTreeMap<EventId, Vec<ShiftId>>,
    pub(crate) questions: BTreeMap<QuestionId, Question>,
    /// The index of questions by event, position and id.
    pub(crate) question_positions: BTreeSet<(EventId, u32, QuestionId)>,
    pub(crate) signups: BTreeMap<SignupId, Signup>,
    pub(crate) signups_of_event: BTreeMap<EventId, BTreeSet<SignupId>>,
    pub(crate) confirmed_of_shift: BTreeMap<ShiftId, BTreeSet<SignupId>>,
    pub(crate) signup_secrets: BTreeMap<Digest, SignupId>,
    /// The confirmed sign-up of each address on each shift.
    pub(crate) places: BTreeMap<(ShiftId, String), SignupId>,
    pub(crate) receipts: BTreeMap<ReceiptKey, Receipt>,
    /// The index of receipts by expiry.
    pub(crate) receipt_ends: BTreeSet<(Timestamp, ReceiptKey)>,
    pub(crate) notices: BTreeMap<NoticeId, Notice>,
    /// The index of queued notices by due time.
    pub(crate) due: BTreeSet<(Timestamp, NoticeId)>,
}

pub(crate) fn list_key(event: &Event) -> ListKey {
    (Reverse(event.dates.starts_at()), Reverse(event.id))
}

impl Tables {
    pub(crate) fn event(&self, organization: OrganizationId, id: EventId) -> Option<&Event> {
        self.events.get(&id).filter(|event| event.organization == organization)
    }

    pub(crate) fn shift(&self, organization: OrganizationId, id: ShiftId) -> Option<&Shift> {
        self.shifts.get(&id).filter(|shift| shift.organization == organization)
    }

    pub(crate) fn signup(&self, organization: OrganizationId, id: SignupId) -> Option<&Signup> {
        self.signups.get(&id).filter(|signup| signup.organization == organization)
    }

    pub(crate) fn notice(&self, organization: OrganizationId, id: NoticeId) -> Option<&Notice> {
        self.notices.get(&id).filter(|notice| notice.organization == organization)
    }

    pub(crate) fn shifts_of(&self, event: &Event) -> Vec<Shift> {
        let ids = self.shifts_of_event.get(&event.id).into_iter().flatten();
        let mut shifts: Vec<_> = ids.filter_map(|id| self.shifts.get(id)).cloned().collect();
        shifts.sort_by_cached_key(Shift::order_key);
        shifts
    }

    pub(crate) fn in_full(&self, event: &Event) -> EventInFull {
        let mut full = EventInFull::new(event.clone(), self.shifts_of(event), self.questions_of(event));
        full.location_data = self.location_data.get(&event.id).cloned();
        full
    }

    pub(crate) fn questions_of(&self, event: &Event) -> Vec<Question> {
        let first = (event.id, 0, QuestionId::NONE);
        let ids = self.question_positions.range(first..).take_while(|(id, _, _)| *id == event.id);
        ids.filter_map(|(_, _, id)| self.questions.get(id)).cloned().collect()
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
        self.published_ends.range(first).take_while(|(owner, _, _)| *owner == organization).count()
    }

    pub(crate) fn purge_receipts(&mut self, now: Timestamp, limit: u32) -> u64 {
        let mut purged = 0;
        while purged < u64::from(limit)
            && let Some((end, key)) = self.receipt_ends.first()
            && *end <= now
        {
            self.receipts.remove(key);
            self.receipt_ends.pop_first();
            purged += 1;
        }
        purged
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
