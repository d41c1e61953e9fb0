//! The handles: everything that the library does, grouped by the caller that may do it.
//!
//! | handle | from | for |
//! |---|---|---|
//! | [`Session`] | [`Service::authenticate`], [`Service::session_for`] | what a token or a person may do, in one organization |
//! | [`Admin`] | [`Service::admin`] | the operator: organizations, plans, people, tokens, events, questions, sign-ups, failed mails |
//! | [`Volunteers`] | [`Service::volunteers`] | volunteers: a published event, signing up, a sign-up and its cancellation |
//! | [`People`] | [`Service::people`] | people: signing in with a mailed code, accepting an invitation, their sessions |
//! | [`Outbox`] | [`Service::outbox`] | the process that delivers queued notices |
//!
//! A method reads top to bottom: authorize, read, decide. A pure rule decides, and one commit makes the decision
//! durable. `commit.rs` commits, and decides again if a fact has changed. `turns.rs` lets the edits of one event wait for
//! each other.

mod admin;
mod audience;
mod authentication;
mod commit;
mod event_signups;
mod members;
mod outbox;
mod people;
mod session;
mod turns;
mod volunteer_data;
mod volunteers;
mod waiting;
mod webhooks;

use std::net::IpAddr;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

pub use admin::Admin;
pub use event_signups::{EventSignups, ShiftSignups};
pub use outbox::Outbox;
pub use people::{OpenInvitation, People, SignedIn};
pub use session::{PageQuery, Pages, PendingWrite, Reply, Session, TokenUse};
pub use volunteer_data::VolunteerData;
pub use volunteers::{
    MailChoice, Place, Places, PublicEvent, ShiftOutcome, SignUpForm, SignedUp, Volunteers,
};

use crate::allowance::{Allowance, RateKey, Windows};
use crate::caller_key::ExternalId;
use crate::clock::{Clock, SystemClock, whole_second};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{EventId, OrganizationId, ShiftId};
use crate::network::Networks;
use crate::notice::Notice;
use crate::plan::PlanTable;
use crate::rules;
use crate::shift::ScheduledShift;
use crate::store::{Deleted, Kind, Record, RecordKey, Store, Unique};
use crate::text::EmailAddress;
use authentication::{TokenCache, Uses};
use turns::Turns;
use webhooks::ListenerCache;

/// The service over a store. Its methods return the handles.
///
/// A service is cheap to clone. Clones and handles share the store, the cache of tokens and the rate-limit windows.
///
/// ```
/// use signup_core::{NewOrganization, Plan, Service};
/// use signup_store_memory::MemoryStore;
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let service = Service::new(MemoryStore::new());
/// let new = NewOrganization::new("Riverside Food Bank".parse()?).plan(Plan::Starter);
/// let organization = service.admin().create_organization(new).await?;
/// assert_eq!(organization.slug, "riverside-food-bank");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Service(Arc<Shared>);

/// The state that a service shares with its handles.
#[derive(Debug, Clone)]
struct Shared {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    plans: PlanTable,
    change_mail_delay: SignedDuration,
    tokens: TokenCache,
    uses: Uses,
    windows: Arc<Windows>,
    turns: Turns,
    listeners: ListenerCache,
    networks: Networks,
    /// Whether commits only check what they require, and write nothing.
    is_preview: bool,
}

impl Shared {
    /// Returns the time in whole seconds, also if the clock is more precise.
    fn now(&self) -> Timestamp {
        whole_second(self.clock.now())
    }

    /// Reads a record by its key.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such record, or it is deleted.
    async fn get<R: TryFrom<Record>>(&self, key: RecordKey) -> Result<R> {
        self.store.get(key).await?.ok_or(Error::NotFound)
    }

    /// Reads a shift with its event. Returns `None` if there is no such shift, or it is deleted.
    async fn shift_with_event(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> Result<Option<(ScheduledShift, Event)>> {
        let found = self.store.shift_with_event(organization, id).await?;
        Ok(found.map(|(shift, event)| (ScheduledShift::of(shift, &event), event)))
    }

    /// Reads the recipient of an address at an event: the notice that its mails are sent by.
    async fn recipient(
        &self,
        organization: OrganizationId,
        event: EventId,
        email: &EmailAddress,
    ) -> Result<Option<Notice>> {
        let key = RecordKey::Notice(organization, rules::recipient_id(event, email));
        Ok(self.store.get(key).await?)
    }

    /// Reads the job that mails the changes of an event.
    async fn event_change(&self, organization: OrganizationId, event: EventId) -> Result<Option<Notice>> {
        Ok(self.store.get(RecordKey::Notice(organization, rules::event_change_id(event))).await?)
    }

    /// Returns the event that has the external id.
    async fn external_id_holder(
        &self,
        organization: OrganizationId,
        id: Option<&ExternalId>,
    ) -> Result<Option<EventId>> {
        let Some(id) = id.cloned() else { return Ok(None) };
        let holder = self.store.holder(&Unique::EventExternalId(organization, id), Deleted::Excluded).await?;
        Ok(holder.and_then(|record| Event::try_from(record).ok()).map(|event| event.id))
    }

    /// Returns the owner of a record, for an operator.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such record.
    async fn owner(&self, kind: Kind, id: Uuid) -> Result<OrganizationId> {
        self.store.owner(kind, id).await?.ok_or(Error::NotFound)
    }

    /// Counts a request under `key`, like [`count_several`](Self::count_several).
    async fn count(&self, key: RateKey, limit: u32) -> Result<Allowance> {
        self.count_several(key, 1, limit).await
    }

    /// Counts requests under `key`. A used-up window is kept in this process, so the store is not asked again before
    /// the window ends.
    async fn count_several(&self, key: RateKey, number: u32, limit: u32) -> Result<Allowance> {
        let now = self.now();
        if let Some(window) = self.windows.get(key, now)
            && window.requests > limit
        {
            return Ok(Allowance::of(key, window, limit));
        }
        let Some(counter) = self.store.request_counter() else {
            return Ok(Allowance::of(key, self.windows.count(key, number, now), limit));
        };
        let window = counter.count_requests(key, number, now).await?;
        if window.requests > limit {
            self.windows.put(key, window);
        }
        Ok(Allowance::of(key, window, limit))
    }
}

impl Service {
    /// How long mails about a change wait for further changes of the shift by default: 1 minute.
    pub const CHANGE_MAIL_DELAY: SignedDuration = SignedDuration::from_secs(60);

    /// Creates the service over `store`, with the system's clock and the default plans. See [`Service`] for an example.
    ///
    /// # Runtime
    ///
    /// The service works on any async runtime: the service spawns no task and sets no timer. The store and the clock
    /// decide which runtime the handles need:
    ///
    /// - `MemoryStore` works on any runtime.
    /// - The stores of `signup-store-sql` need a tokio runtime with I/O and time enabled. Without such a runtime, each
    ///   call that reaches the database panics. Use a store in the runtime in which it was opened: after the end of
    ///   that runtime, calls may fail with [`Error::Store`].
    /// - A write that loses against a change of another process is tried again after a pause of the clock. The system's
    ///   clock has no timer and only lets other tasks run. [`TokioClock`](crate::TokioClock) has tokio's timer: use it if
    ///   several processes share a database.
    pub fn new(store: impl Store) -> Self {
        Self::shared(Arc::new(store))
    }

    /// Creates the service like [`new`](Self::new), over a store that other parts of the program also use, or that is
    /// chosen at run time. [`new`](Self::new) also accepts an `Arc`, but then each call follows a second pointer.
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use signup_core::Service;
    /// use signup_store_memory::MemoryStore;
    ///
    /// let store = Arc::new(MemoryStore::new());
    /// let service = Service::shared(store.clone());
    /// ```
    pub fn shared(store: Arc<dyn Store>) -> Self {
        Self(Arc::new(Shared {
            store,
            clock: Arc::new(SystemClock),
            plans: PlanTable::default(),
            change_mail_delay: Service::CHANGE_MAIL_DELAY,
            tokens: TokenCache::default(),
            uses: Uses::default(),
            windows: Arc::default(),
            turns: Turns::default(),
            listeners: ListenerCache::default(),
            networks: Networks::default(),
            is_preview: false,
        }))
    }

    /// Replaces the clock. Existing handles keep the former clock.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{Clock, FixedClock, Service};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::sync::Arc;
    ///
    /// let clock = Arc::new(FixedClock::at("2027-05-01T12:00:00Z".parse()?));
    /// let service = Service::new(MemoryStore::new()).with_clock(clock.clone());
    /// clock.advance(60);
    /// assert_eq!(service.now().to_string(), "2027-05-01T12:01:00Z");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_clock(self, clock: impl Clock) -> Self {
        Self(Arc::new(Shared { clock: Arc::new(clock), ..Arc::unwrap_or_clone(self.0) }))
    }

    /// Replaces the limits of the plans. Existing handles keep the former limits.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::PlanTable;
    ///
    /// let mut plans = PlanTable::default();
    /// plans.free.active_events = 10;
    /// let service = service.with_plans(plans);
    /// let session = service.session_for(organization.id, Scopes::all()).await?;
    /// assert_eq!(session.limits().active_events, 10);
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn with_plans(self, plans: PlanTable) -> Self {
        Self(Arc::new(Shared { plans, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// Sets how long mails about a change wait for further changes of the shift, so that several changes are one mail. Existing
    /// handles keep the former delay.
    ///
    /// The default is [`CHANGE_MAIL_DELAY`](Self::CHANGE_MAIL_DELAY). With zero, each change is mailed at once. A negative delay
    /// counts as zero. No mail waits longer than [`EventChange::MAX_DELAY`](crate::EventChange::MAX_DELAY) after the first change.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, session: _session, .. }| {
    /// use signup_core::{ShiftPatch, SignedDuration};
    ///
    /// let service = service.with_change_mail_delay(SignedDuration::ZERO);
    /// # let session = service.session_for(created.event.organization, Scopes::all()).await?;
    /// session.patch_shift(created.shifts[0].id, ShiftPatch::new().location("Dock 4".parse()?)).await?;
    /// assert_eq!(service.outbox().due(10).await?.len(), 1);
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn with_change_mail_delay(self, delay: SignedDuration) -> Self {
        let change_mail_delay = delay.max(SignedDuration::ZERO);
        Self(Arc::new(Shared { change_mail_delay, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// Sets the networks that webhooks may reach besides public addresses, with `http`, too. By default there are none. Existing
    /// handles keep the former networks.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{NewWebhook, Scope};
    ///
    /// let service = service.with_webhook_networks("127.0.0.0/8".parse()?);
    /// let session = service.session_for(organization.id, [Scope::WebhooksWrite].into()).await?;
    /// let local = NewWebhook::new("http://127.0.0.1:9000/hooks".parse()?);
    /// assert!(session.create_webhook(local).await.is_ok());
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn with_webhook_networks(self, networks: Networks) -> Self {
        Self(Arc::new(Shared { networks, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// Returns the handle of the operator. The handle needs no token and reaches every organization.
    ///
    /// See [`Admin`] for an example.
    pub fn admin(&self) -> Admin {
        Admin::new(Arc::clone(&self.0))
    }

    /// Returns the handle of volunteers, who hold a slug or a secret instead of a token.
    ///
    /// See [`Volunteers`] for an example.
    pub fn volunteers(&self) -> Volunteers {
        Volunteers::new(Arc::clone(&self.0))
    }

    /// Returns the handle of people, who sign in and accept invitations.
    ///
    /// See [`People`] for an example.
    pub fn people(&self) -> People {
        People::new(Arc::clone(&self.0))
    }

    /// Returns the handle of a process that delivers queued notices.
    ///
    /// See [`Outbox`] for an example.
    pub fn outbox(&self) -> Outbox {
        Outbox::new(Arc::clone(&self.0))
    }

    /// Returns the present time of the service's clock.
    ///
    /// See [`with_clock`](Self::with_clock) for an example.
    pub fn now(&self) -> Timestamp {
        self.0.now()
    }

    /// Counts a request against a rate limit. With a valid session, this is the limit of its token or person. Otherwise, this is
    /// the limit of `address`.
    ///
    /// The caller refuses the request unless [`Allowance::is_allowed`]. The window is 60 seconds long.
    ///
    /// - A session is valid until it expires. The sessions of one organization for a program share one window.
    /// - An address has the rate of the free plan. An IPv6 address counts as its /64 network.
    /// - A store that several processes share counts for all of them. Otherwise each process counts for itself.
    /// - A used-up window is cached until it ends, so further requests do not reach the store.
    ///
    /// # Errors
    /// Fails only if the store fails. The state of the window is then unknown, and the request should not be served.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, session, .. }| {
    /// let address = "192.0.2.7".parse()?;
    /// for remaining in (0..30).rev() {
    ///     let allowance = service.count_request(Some(&session), address).await?;
    ///     assert_eq!((allowance.is_allowed, allowance.remaining), (true, remaining));
    /// }
    /// let refused = service.count_request(Some(&session), address).await?;
    /// assert!(!refused.is_allowed);
    /// assert!((1..=60).contains(&refused.retry_after_s(service.now())));
    /// // The requests of the session do not count against the address.
    /// assert!(service.count_request(None, address).await?.is_allowed);
    /// # Ok(()) }) }
    /// ```
    pub async fn count_request(&self, session: Option<&Session>, address: IpAddr) -> Result<Allowance> {
        let session = session.filter(|session| session.is_valid());
        let key = session.map_or_else(|| RateKey::address(address), Session::rate_key);
        self.0.count(key, self.requests_per_minute(session)).await
    }

    /// Returns the rate limit of a session, in requests a minute. Without a valid session, returns the limit of an address.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, session, .. }| {
    /// assert_eq!(service.requests_per_minute(Some(&session)), session.limits().requests_per_minute);
    /// assert_eq!(service.requests_per_minute(None), 30);
    /// # Ok(()) }) }
    /// ```
    pub fn requests_per_minute(&self, session: Option<&Session>) -> u32 {
        let session = session.filter(|session| session.is_valid());
        session.map_or(self.0.plans.free, Session::limits).requests_per_minute
    }

    /// Checks that the store answers and accepts commits.
    ///
    /// # Errors
    /// Returns [`Error::Store`] if the check fails.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, .. }| {
    /// service.check().await?;
    /// # Ok(()) }) }
    /// ```
    pub async fn check(&self) -> Result<()> {
        Ok(self.0.store.check().await?)
    }
}
