//! A run: phases of requests under faults, and between them quiet moments at which everything must have been delivered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use signup_core::{
    Acceptance, Interval, NewInvitation, NewOrganization, NewWebhook, Plan, Result, Role, Scopes, Secret,
    Service, Session, Shift, SignedDuration,
};
use tokio::time::sleep;

use super::Outcome;
use super::inbox::reminded_at;
use super::process::{Process, ask};
use super::world::{Cause, Faults, World};
use super::{invariants, requests, steps};

/// The seconds after which a due notice or delivery counts as forgotten, while nothing fails.
const PATIENCE_S: u32 = 300;
/// The longest time by which the clock of a process is behind.
const BEHIND: SignedDuration = SignedDuration::from_secs(6);

pub(super) struct Simulation {
    pub(super) world: Arc<World>,
    processes: Mutex<Vec<Process>>,
    requests: AtomicUsize,
    organizer: Mutex<Option<Organizer>>,
    /// The addresses that have not signed up since an erasure began.
    pub(super) erased: Mutex<BTreeMap<String, Erasure>>,
}

/// How far an erasure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erasure {
    Begun,
    Done,
}

/// An organizer who has signed in.
#[derive(Debug, Clone)]
pub(super) struct Organizer {
    sign_in: Secret,
    /// The slug of the organization.
    slug: String,
}

impl Organizer {
    pub(super) async fn session(&self, service: &Service) -> Result<Session> {
        service.people().signed_in(&self.sign_in).await?.session(&self.slug)
    }
}

pub(super) async fn simulate(seed: u64, is_traced: bool) -> Outcome {
    let world = Arc::new(World::new(seed, is_traced));
    let simulation = Arc::new(Simulation {
        world: Arc::clone(&world),
        processes: Mutex::default(),
        requests: AtomicUsize::new(0),
        organizer: Mutex::default(),
        erased: Mutex::default(),
    });
    simulation.start().await;
    for _ in 0..world.random.between(3, 7) {
        simulation.phase().await;
        if world.failure().is_some() {
            break;
        }
    }
    let processes = std::mem::take(&mut *simulation.processes.lock().unwrap());
    for process in processes {
        process.kill().await;
    }
    let mails = world.inbox().arrived;
    Outcome { failure: world.failure(), trace: world.take_trace(), mails }
}

impl Simulation {
    /// Creates the organization, an organizer and a webhook.
    async fn start(self: &Arc<Self>) {
        for _ in 0..self.world.random.between(2, 3) {
            self.start_process();
        }
        let organization = NewOrganization::new("Riverside".parse().unwrap()).plan(Plan::Pro);
        let create = move |service: Service| {
            let organization = organization.clone();
            async move {
                let organization = service.admin().create_organization(organization).await?;
                let zoe = ("zoe@example.org".parse().unwrap(), "Zoe".parse().unwrap());
                let invitation = NewInvitation::new(zoe.0, zoe.1, Role::Admin);
                let invited = service.admin().invite_person(organization.id, invitation).await?;
                let accept = Acceptance::Member { name: None };
                let accepted = service.people().accept(&invited.unwrap().1, None, accept).await?;
                let session = service.session_for(organization.id, Scopes::all()).await?;
                session.create_webhook(NewWebhook::new("http://127.0.0.1/hooks".parse().unwrap())).await?;
                Ok((organization, accepted.unwrap().1))
            }
        };
        let (organization, sign_in) = self.ask(self.cause(), create).await.unwrap();
        *self.world.organization.lock().unwrap() = organization.id;
        *self.organizer.lock().unwrap() = Some(Organizer { sign_in, slug: organization.slug });
    }

    pub(super) fn organizer(&self) -> Organizer {
        self.organizer.lock().unwrap().clone().unwrap()
    }

    fn start_process(&self) {
        self.processes.lock().unwrap().push(Process::start(&self.world));
    }

    /// Returns the cause of a new request.
    pub(super) fn cause(&self) -> Cause {
        let request = self.requests.fetch_add(1, Ordering::Relaxed);
        Cause { request, is_silent: false, is_sign_up: false, joins_waitlist: false }
    }

    pub(super) async fn ask<T: Send + 'static, F>(
        &self,
        cause: Cause,
        request: impl Fn(Service) -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        ask(&self.processes, &self.world, cause, request).await
    }

    async fn phase(self: &Arc<Self>) {
        let random = &self.world.random;
        let some = |per_mille| if random.chance(400) { per_mille } else { 0 };
        let faults = match random.below(10) {
            0..4 => Faults::default(),
            _ => Faults {
                reads: some(10),
                commits: some(80),
                mails: some(300),
                webhooks: some(300),
                slow: some(60),
            },
        };
        *self.world.faults.lock().unwrap() = faults;
        self.world.trace(|| format!("{faults:?}"));
        for _ in 0..random.between(4, 24) {
            if let Some(step) = steps::choose(self) {
                self.world.trace(|| format!("{step:?}"));
                let simulation = Arc::clone(self);
                drop(tokio::spawn(async move {
                    let _under_way = simulation.world.enter();
                    requests::perform(&simulation, step).await;
                }));
            }
            match random.below(20) {
                0..9 => {}
                9..16 => sleep(self.world.millis(1, 900)).await,
                16..18 => sleep(self.world.millis(1000, 9000)).await,
                18 => self.rest(random.between(10, 40)).await,
                _ => self.restart().await,
            }
        }
        if random.chance(700) {
            self.drain().await;
            if self.world.failure().is_none() {
                self.world.trace(|| "everything is delivered".to_owned());
                self.world.check(invariants::check(self));
            }
        } else {
            self.calm_down().await;
        }
        let pause = self.pause();
        self.be_quiet().await;
        if random.chance(200) {
            self.world.trace(|| "every process is down".to_owned());
            self.world.jump(pause);
        } else {
            self.pass(pause).await;
        }
    }

    /// Returns for how long nobody makes a request: until a while later, or until a time at which something ends or begins for a
    /// shift.
    fn pause(&self) -> SignedDuration {
        let (random, now) = (&self.world.random, self.world.now());
        let hours = match random.below(6) {
            0 => 0,
            1 => random.between(1, 6),
            2 => random.between(6, 30),
            3 => random.between(24, 24 * 14),
            _ => {
                let ledger = self.world.ledger();
                let histories: Vec<_> = ledger.shifts.values().collect();
                let Some(history) = random.pick_some(&histories) else { return SignedDuration::ZERO };
                *self.world.focus.lock().unwrap() = Some(history.shift.id);
                let at = history.at();
                let Interval { start, end } = at.interval;
                let cutoff = start - Shift::WAITLIST_CUTOFF;
                let moment = *random.pick(&[cutoff, cutoff, cutoff, reminded_at(at), start, end]);
                let early = SignedDuration::from_secs(i64::try_from(random.between(0, 20)).unwrap());
                return (moment - early).duration_since(now).max(SignedDuration::ZERO);
            }
        };
        SignedDuration::from_mins(i64::try_from(hours * 60 + random.between(1, 59)).unwrap())
    }

    /// Waits for some seconds. Moves the clock by the rest of them once nothing is under way or becomes due meanwhile.
    async fn rest(&self, seconds: u64) {
        for waited in 0..seconds {
            let (now, left) = (self.world.now(), SignedDuration::from_secs((seconds - waited).cast_signed()));
            let is_due = self.world.ledger().next_due().is_some_and(|next| next <= now + left + BEHIND);
            if !is_due && !self.is_busy() {
                return self.world.jump(left);
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Lets time pass, while the processes deliver what becomes due.
    async fn pass(&self, pause: SignedDuration) {
        let end = self.world.now() + pause;
        for _ in 0..1000 {
            self.be_quiet().await;
            let (now, next) = (self.world.now(), self.world.ledger().next_due());
            if now >= end || self.world.failure().is_some() {
                return;
            }
            let next = next.map_or(end, |next| next.min(end));
            if next > now + BEHIND {
                self.world.check(invariants::check_reminded(self));
                self.world.jump(next.duration_since(now));
            }
            sleep(Duration::from_secs(1)).await;
        }
        self.world.check(Err(format!("due and not delivered: {}", self.world.ledger().due_in_words(end))));
    }

    /// Kills a process, or stops it, and starts another one.
    async fn restart(&self) {
        let process = {
            let mut processes = self.processes.lock().unwrap();
            let index = self.world.random.below(processes.len());
            processes.remove(index)
        };
        if self.world.random.chance(750) {
            self.world.trace(|| "a process is killed".to_owned());
            process.kill().await;
        } else {
            self.world.trace(|| "a process is stopped".to_owned());
            process.stop().await;
        }
        sleep(self.world.millis(0, 3000)).await;
        self.start_process();
    }

    /// Ends all faults, and waits until nothing is under way.
    async fn calm_down(&self) {
        *self.world.faults.lock().unwrap() = Faults::default();
        // Reports that failed are tried again within a second, and workers that found a server unreachable within five.
        sleep(Duration::from_secs(6)).await;
        self.be_quiet().await;
    }

    /// Waits until nothing is under way. Only then the clock may be moved: a process that is in the middle of something would lose
    /// its lease.
    async fn be_quiet(&self) {
        for _ in 0..PATIENCE_S * 20 {
            if !self.is_busy() || self.world.failure().is_some() {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
        self.world.check(Err("a request never ended".to_owned()));
    }

    fn is_busy(&self) -> bool {
        self.world.under_way.load(Ordering::Relaxed) > 0
    }

    /// Ends all faults, and lets the processes deliver everything. Moves the clock while nothing is due.
    async fn drain(self: &Arc<Self>) {
        self.calm_down().await;
        let mut waited_s = 0;
        for _ in 0..2000 {
            if self.world.failure().is_some() {
                return;
            }
            let (now, next) = (self.world.now(), self.world.ledger().next_due());
            match next {
                _ if self.is_busy() => {}
                Some(next) if next <= now + BEHIND => {}
                Some(next) => {
                    self.world.check(invariants::check_reminded(self));
                    self.world.jump(next.duration_since(now));
                    waited_s = 0;
                }
                None if self.world.ledger().has_failed() => requests::retry_failed(self).await,
                None => return,
            }
            sleep(Duration::from_secs(1)).await;
            waited_s += 1;
            if waited_s > PATIENCE_S {
                let ledger = self.world.ledger();
                self.world.check(Err(format!("due and not delivered: {}", ledger.due_in_words(now))));
            }
        }
        self.world.check(Err("the queues never become empty".to_owned()));
    }
}
