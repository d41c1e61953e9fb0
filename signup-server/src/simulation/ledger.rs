//! The ledger: what was committed, in order. The invariants compare mails, deliveries and records with it.
//!
//! The ledger follows from the writes of the commits and from what organizers asked for, and not from the rules of the product.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::FutureExt as _;
use signup_core::{
    Activity, ActivityId, CancelledBy, ChangeSet, Deleted, Delivery, DeliveryId, Digest, Event, EventId,
    Link, Notice, NoticeId, Record, RecordKey, ScheduledShift, Shift, ShiftId, Signup, SignupId,
    SignupStatus, Store, TimeAndPlace, Timestamp, Unique, Webhook, WebhookId, Write,
};
use signup_store_memory::MemoryStore;

use super::notices::NoticeHistory;
use super::waiting::LATE;
use super::world::Cause;

/// The longest time between the reads of a commit or a mail and the time at which it is committed or sent.
pub(super) const FRESH: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) events: BTreeMap<EventId, Event>,
    /// When each event was last restored.
    pub(super) restored: BTreeMap<EventId, Duration>,
    pub(super) shifts: BTreeMap<ShiftId, ShiftHistory>,
    pub(super) signups: BTreeMap<SignupId, SignupHistory>,
    /// The sign-ups that were erased, each with its shift, and when.
    pub(super) erased: BTreeMap<SignupId, (ShiftId, Duration)>,
    pub(super) notices: BTreeMap<NoticeId, NoticeHistory>,
    pub(super) webhooks: BTreeMap<WebhookId, Webhook>,
    pub(super) activities: BTreeMap<ActivityId, Activity>,
    pub(super) deliveries: BTreeMap<DeliveryId, Delivery>,
    pub(super) links: BTreeMap<Digest, Link>,
    /// The links that were erased with their addresses.
    pub(super) erased_links: BTreeSet<Digest>,
    /// How often the write with the key of a request took effect.
    pub(super) effects: BTreeMap<usize, u32>,
}

#[derive(Debug)]
pub(super) struct ShiftHistory {
    pub(super) shift: Shift,
    /// When and where the shift was, and since when.
    pub(super) placed: Vec<Placed>,
}

#[derive(Debug)]
pub(super) struct Placed {
    pub(super) since: Duration,
    /// The same on the clock of the world.
    pub(super) moved_at: Timestamp,
    /// The versions of the event and of the shift that moved it there.
    versions: (u32, u32),
    pub(super) at: TimeAndPlace,
    /// Whether the addresses must hear of it.
    pub(super) is_announced: bool,
    /// Whether no address may hear of it. Neither is true of a shift that is over by only some of the clocks.
    pub(super) is_silent: bool,
}

#[derive(Debug)]
pub(super) struct SignupHistory {
    pub(super) signup: Signup,
    pub(super) states: Vec<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) since: Duration,
    pub(super) status: SignupStatus,
    pub(super) by: Option<CancelledBy>,
    pub(super) is_silent: bool,
}

impl SignupHistory {
    pub(super) fn last(&self) -> &State {
        self.states.last().unwrap()
    }

    pub(super) fn is_confirmed(&self) -> bool {
        self.last().status == SignupStatus::Confirmed
    }

    /// Returns whether the volunteer has a place or waits for one.
    pub(super) fn is_active(&self) -> bool {
        self.last().status != SignupStatus::Cancelled
    }

    /// Returns whether two sign-ups are of one person on one shift.
    fn is_same_person(&self, other: &Signup) -> bool {
        let key = |signup: &Signup| (signup.shift, signup.email.key().to_owned(), signup.name.key());
        key(&self.signup) == key(other)
    }
}

impl ShiftHistory {
    pub(super) fn at(&self) -> &TimeAndPlace {
        &self.placed.last().unwrap().at
    }

    /// Returns the index of where the shift was at these versions of its event and of itself.
    pub(super) fn placed_at(&self, event: u32, shift: u32) -> usize {
        let is_before = |placed: &Placed| placed.versions.0 <= event && placed.versions.1 <= shift;
        self.placed.iter().rposition(is_before).unwrap_or(0)
    }
}

/// Returns the writes of a change set, for a trace.
pub(super) fn in_words(change: &ChangeSet) -> String {
    let word = |write: &Write| match write {
        Write::Put { after: Record::Notice(notice), .. } => format!(
            "put {} {} due {:?} attempts {} {:?}",
            notice.cause.name(),
            notice.id,
            notice.due_at.map(|at| at.to_string()),
            notice.attempts,
            notice.recipient().map(|of| (
                of.sent,
                of.is_asked,
                of.was_asked,
                of.again_at.map(|at| at.to_string())
            ))
        ),
        Write::Put { after: Record::Signup(signup), .. } => {
            format!("put signup {} of {} {:?}", signup.id, signup.name, signup.state)
        }
        Write::Put { after: Record::Activity(activity), .. } => format!("put {}", activity.kind),
        Write::Put { after, .. } => format!("put {:?}", after.entity().key()),
        Write::Remove(record) => format!("remove {:?}", record.entity().key()),
    };
    change.writes.iter().map(word).collect::<Vec<_>>().join("; ")
}

impl Ledger {
    /// Applies a commit.
    ///
    /// # Errors
    /// Returns the promise that the commit breaks.
    pub(super) fn apply(
        &mut self,
        change: &ChangeSet,
        cause: Option<Cause>,
        now: Timestamp,
        since: Duration,
    ) -> Result<(), String> {
        let is_silent = cause.is_some_and(|cause| cause.is_silent);
        let is_sign_up = cause.is_some_and(|cause| cause.is_sign_up);
        let mut touched = BTreeSet::new();
        let mut delivered = BTreeSet::new();
        for write in &change.writes {
            match write {
                Write::Put { after, .. } => match after {
                    Record::Event(event) => {
                        touched.insert(event.id);
                        let before = self.events.insert(event.id, (**event).clone());
                        let was_deleted = before.is_some_and(|before| before.deleted_at.is_some());
                        if was_deleted && event.deleted_at.is_none() {
                            self.restored.insert(event.id, since);
                        }
                    }
                    Record::Shift(shift) => {
                        touched.insert(shift.event);
                        let new = || ShiftHistory { shift: (**shift).clone(), placed: vec![] };
                        self.shifts.entry(shift.id).or_insert_with(new).shift = (**shift).clone();
                    }
                    Record::Signup(signup) => {
                        touched.insert(signup.event);
                        let new = || SignupHistory { signup: (**signup).clone(), states: vec![] };
                        self.signups.entry(signup.id).or_insert_with(new).signup = (**signup).clone();
                    }
                    Record::Notice(notice) => self.note_notice(notice, is_sign_up),
                    Record::Activity(activity) => {
                        self.activities.insert(activity.id, (**activity).clone());
                    }
                    Record::Delivery(delivery) => {
                        delivered.insert((delivery.webhook, delivery.activity.id));
                        self.deliveries.insert(delivery.id, (**delivery).clone());
                    }
                    Record::Webhook(webhook) => {
                        self.webhooks.insert(webhook.id, (**webhook).clone());
                    }
                    Record::Link(link) => {
                        self.links.insert(link.digest, (**link).clone());
                    }
                    Record::Receipt(_) => {
                        let request = cause.ok_or("a receipt without a request")?.request;
                        let effects = self.effects.entry(request).or_default();
                        *effects += 1;
                        if *effects > 1 {
                            return Err(format!("request {request} took effect twice"));
                        }
                    }
                    _ => {}
                },
                Write::Remove(record) => match record {
                    Record::Signup(signup) => {
                        self.signups.remove(&signup.id);
                        self.erased.insert(signup.id, (signup.shift, since));
                    }
                    Record::Notice(notice) => drop(self.notices.remove(&notice.id)),
                    Record::Webhook(webhook) => {
                        self.webhooks.remove(&webhook.id);
                        self.deliveries.retain(|_, delivery| delivery.webhook != webhook.id);
                    }
                    Record::Link(link) => {
                        self.links.remove(&link.digest);
                        self.erased_links.insert(link.digest);
                    }
                    _ => {}
                },
            }
        }
        self.place(&touched, is_silent, now, since);
        self.check_activity(change, &delivered)?;
        self.check_lists(change, cause, now, since)?;
        self.check_moment(since)
    }

    /// Notes where the shifts of these events are, and the states of their sign-ups.
    fn place(&mut self, touched: &BTreeSet<EventId>, is_silent: bool, now: Timestamp, since: Duration) {
        for history in self.shifts.values_mut().filter(|history| touched.contains(&history.shift.event)) {
            let Some(event) = self.events.get(&history.shift.event) else { continue };
            let at = TimeAndPlace::of(&ScheduledShift::of(history.shift.clone(), event), event);
            let is_moved = history.placed.last().is_none_or(|last| !last.at.is_same_as(&at));
            if is_moved && (history.shift.deleted_at.is_none() || history.placed.is_empty()) {
                let last = history.placed.last().map(|last| last.at.interval);
                let stays_over = |now| at.interval.is_over(now) && last.is_some_and(|last| last.is_over(now));
                let is_announced = !(is_silent || stays_over(now + LATE));
                let is_silent = is_silent || stays_over(now - LATE);
                let versions = (event.version, history.shift.version);
                let placed = Placed { since, moved_at: now, versions, at, is_announced, is_silent };
                history.placed.push(placed);
            }
        }
        for history in self.signups.values_mut().filter(|history| touched.contains(&history.signup.event)) {
            let Some(of_shift) = self.shifts.get(&history.signup.shift) else { continue };
            history.signup = history.signup.clone().of(&of_shift.shift);
            let (status, by) = (history.signup.status(), history.signup.cancelled_by());
            if history.states.last().is_none_or(|last| last.status != status) {
                history.states.push(State { since, status, by, is_silent });
            }
        }
    }

    /// Checks that each new activity has a delivery to each webhook that selects it.
    fn check_activity(
        &self,
        change: &ChangeSet,
        found: &BTreeSet<(WebhookId, ActivityId)>,
    ) -> Result<(), String> {
        for write in &change.writes {
            let Write::Put { after: Record::Activity(activity), .. } = write else { continue };
            let of_owner = |webhook: &&Webhook| webhook.organization == activity.organization;
            for webhook in self.webhooks.values().filter(of_owner) {
                let is_delivered = found.contains(&(webhook.id, activity.id));
                let is_own = activity.kind.as_str().starts_with("webhook.");
                if is_delivered != webhook.selects(&activity.kind) && !is_own {
                    return Err(format!("{} is {is_delivered} delivered to {}", activity.kind, webhook.id));
                }
            }
        }
        Ok(())
    }

    /// Checks what holds after each commit.
    fn check_moment(&self, since: Duration) -> Result<(), String> {
        let is_new = |history: &&SignupHistory| history.last().since == since && history.is_active();
        for new in self.signups.values().filter(is_new) {
            let same = |other: &&SignupHistory| other.is_active() && other.is_same_person(&new.signup);
            if self.signups.values().filter(same).count() > 1 {
                return Err(format!("{} is twice on a shift", new.signup.name));
            }
        }
        Ok(())
    }

    /// Checks the numbers of places of the shifts that a commit has touched.
    pub(super) fn check_occupancy(&self, store: &MemoryStore, change: &ChangeSet) -> Result<(), String> {
        let mut shifts = BTreeMap::new();
        for write in &change.writes {
            let place = |record: &Record| match record {
                Record::Signup(signup) if signup.is_confirmed() => Some(signup.shift),
                _ => None,
            };
            let (takes_place, record) = match write {
                Write::Put { before, after } => {
                    let left = before.as_ref().and_then(place);
                    if let Some(left) = left {
                        shifts.entry(left).or_insert(false);
                    }
                    (place(after).is_some() && left != place(after), after)
                }
                Write::Remove(record) => (false, record),
            };
            match record {
                Record::Signup(signup) => *shifts.entry(signup.shift).or_insert(false) |= takes_place,
                Record::Shift(shift) => drop(shifts.entry(shift.id).or_insert(false)),
                _ => {}
            }
        }
        for (id, is_taken) in shifts {
            let Some(history) = self.shifts.get(&id) else { continue };
            let key = RecordKey::Shift(history.shift.organization, id);
            let Some(Record::Shift(shift)) = read(store, &key) else { continue };
            let count = |status| u32::try_from(self.on_shift(id, status).count()).unwrap();
            let (places, waiting) = (count(SignupStatus::Confirmed), count(SignupStatus::Waitlisted));
            let (filled, capacity) = (shift.occupancy.filled, shift.occupancy.capacity.volunteers());
            if (filled, shift.occupancy.waitlisted) != (places, waiting) {
                return Err(format!("{places} have a place on {id}, {waiting} wait: {:?}", shift.occupancy));
            }
            if is_taken && filled > capacity {
                return Err(format!("shift {id} took {filled} for {capacity} places"));
            }
        }
        Ok(())
    }

    /// Checks that a purge has removed only what may be removed, and forgets that.
    pub(super) fn check_purged(&mut self, store: &MemoryStore, now: Timestamp) -> Result<(), String> {
        let soon = now + Notice::CLOCK_SKEW;
        let events = &self.events;
        let is_purgeable = |event: EventId| {
            let deleted_at = events.get(&event).and_then(|event| event.deleted_at);
            deleted_at.is_none_or(|deleted_at| deleted_at + Event::PURGED_AFTER <= soon)
        };
        let mut purged = vec![];
        for SignupHistory { signup, .. } in self.signups.values() {
            if read(store, &RecordKey::Signup(signup.organization, signup.id)).is_none() {
                let is_deleted = events.get(&signup.event).is_some_and(|event| event.deleted_at.is_some());
                if !is_deleted || !is_purgeable(signup.event) {
                    return Err(format!("a purge removed the sign-up {}", signup.id));
                }
                purged.push(signup.id);
            }
        }
        self.signups.retain(|id, _| !purged.contains(id));
        for link in self.links.values().filter(|link| link.expires_at > soon) {
            let found = store.holder(&Unique::Link(link.digest), Deleted::Included).now_or_never();
            if !matches!(found, Some(Ok(Some(_)))) {
                return Err(format!("a purge removed a link of {}", link.mailbox));
            }
        }
        self.links.retain(|_, link| link.expires_at > soon);
        let is_there = |delivery: &Delivery| {
            read(store, &RecordKey::Delivery(delivery.organization, delivery.id)).is_some()
        };
        if let Some(gone) =
            self.deliveries.values().find(|delivery| delivery.expires_at > soon && !is_there(delivery))
        {
            return Err(format!("a purge removed the delivery {}", gone.id));
        }
        self.deliveries.retain(|_, delivery| delivery.expires_at > soon);
        let mut gone = vec![];
        for NoticeHistory { notice, .. } in self.notices.values() {
            if read(store, &RecordKey::Notice(notice.organization, notice.id)).is_some() {
                continue;
            }
            let failed_at = notice.failure.as_ref().map(|failure| failure.at);
            let is_old = failed_at.is_some_and(|at| at + Notice::FAILED_RETENTION <= soon);
            let is_deleted = notice.event.is_some_and(|event| {
                events.get(&event).is_some_and(|event| event.deleted_at.is_some()) && is_purgeable(event)
            });
            if !is_old && !is_deleted {
                return Err(format!("a purge removed the notice {}", notice.id));
            }
            gone.push(notice.id);
        }
        self.notices.retain(|id, _| !gone.contains(id));
        Ok(())
    }
}

/// Reads a record of the store, deleted or not. The memory store answers at once.
pub(super) fn read(store: &MemoryStore, key: &RecordKey) -> Option<Record> {
    store.record(key, Deleted::Included).now_or_never()?.ok()?
}
