//! Waiting lists under load: two servers on one database, and connections that sign up, wait, cancel and raise capacities at
//! random. A SQLite file takes one server.
//!
//! The load comes in rounds, each on an event of its own with small shifts. Meanwhile, the slots of the event are read again and
//! again: each answer must show full slots where somebody waits, and none that is over-full. After a round, its sign-ups and its
//! activity are counted.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signup_benches::quantile;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;

use crate::connection::Connection;
use crate::loads::random;
use crate::request::Request;
use crate::site::{Engine, PublicEvent, Site};

/// The number of requests of a round.
const ROUND: u64 = 20_000;
/// The number of connections, half of them to each server.
const CONNECTIONS: u64 = 64;
/// The number of people who cancel sign-ups, so that nobody sends more forms than the console takes of one person.
const ORGANIZERS: u64 = 256;
const SLOTS: usize = 40;
/// The capacity of each slot at the start of a round. Raises add one.
const CAPACITY: u32 = 2;
/// The number of people who sign up in a round. So many sign up again, or have a place already.
const PEOPLE: u64 = 1000;
/// The sign-ups that one connection cancels after it has listed those of a slot.
const CANCELS: usize = 4;
/// The pause between two looks at the slots.
const PAUSE: Duration = Duration::from_millis(20);
/// Longer than an answer of one server may be behind the commits of the other one.
const SETTLED: Duration = Duration::from_millis(1200);

/// What was sent, and what was found.
#[derive(Debug, Default)]
struct Counts {
    requests: u64,
    seconds: f64,
    /// The forms that were refused, because a shift or its list was full.
    refused: u64,
    /// The answers with 503, after which a client tries again.
    unavailable: u64,
    /// Answers that are neither a success nor one of these.
    failed: u64,
    /// The latencies of the forms, the cancellations and the raises in milliseconds.
    millis: [Vec<f64>; 3],
    /// The looks at the slots while requests were under way.
    looks: u64,
    waited: usize,
    promoted: usize,
    /// The places beyond the capacity.
    oversold: u64,
    /// The sign-ups that were promoted again, and the people who have two active sign-ups on one slot.
    twice: usize,
    /// The empty places of slots for which somebody waits.
    empty: u64,
}

/// Prints the figures.
///
/// # Panics
/// Panics if a request failed, a place was sold or promised twice, or a place stayed empty while somebody waited.
pub(crate) fn measure(program: &Path, engine: Engine<'_>, requests: u64) {
    let site = Arc::new(Site::empty(program, engine, &[]));
    let second = matches!(engine, Engine::Postgres(_)).then(|| site.another_process());
    let first = site.process.port;
    let ports = [first, second.as_ref().map_or(first, |second| second.port)];
    let cookies: Arc<[_]> =
        (0..ORGANIZERS).map(|number| site.sign_in(&format!("owner{number}@example.org"))).collect();
    let (runtime, mut counts) = (Runtime::new().unwrap(), Counts::default());
    while counts.requests < requests {
        let number = ROUND.min(requests - counts.requests);
        let round = Arc::new(Round::new(&site, ports, &cookies, counts.requests, number));
        runtime.block_on(Arc::clone(&round).run(&mut counts));
        std::thread::sleep(SETTLED);
        round.check(&mut counts);
        let Counts { requests, seconds, promoted, oversold, twice, empty, .. } = counts;
        println!(
            "{:<10} {requests} requests in {seconds:.0} s, {promoted} promoted: {oversold} oversold, {twice} twice, {empty} empty",
            engine.name()
        );
    }
    let Counts {
        refused,
        unavailable,
        failed,
        looks,
        waited,
        promoted,
        oversold,
        twice,
        empty,
        ref millis,
        ..
    } = counts;
    let [form, cancel, raise] = millis.each_ref().map(|millis| quantile(millis, 0.99));
    for (name, figure) in [
        ("waitlist: requests", counts.requests as f64),
        ("waitlist: requests per second", counts.requests as f64 / counts.seconds),
        ("waitlist: form, p99 ms", form),
        ("waitlist: cancel, p99 ms", cancel),
        ("waitlist: raise a capacity, p99 ms", raise),
        ("waitlist: refused forms", refused as f64),
        ("waitlist: answers with 503", unavailable as f64),
        ("waitlist: people who joined a list", waited as f64),
        ("waitlist: people who were promoted", promoted as f64),
        ("waitlist: looks at the slots meanwhile", looks as f64),
        ("waitlist: failed requests (goal: 0)", failed as f64),
        ("waitlist: oversold places (goal: 0)", oversold as f64),
        ("waitlist: promised twice (goal: 0)", twice as f64),
        ("waitlist: empty while somebody waits (goal: 0)", empty as f64),
    ] {
        println!("{:<10} {name:<46} {figure:>10.0}", engine.name());
    }
    assert_eq!((failed, oversold, twice, empty), (0, 0, 0, 0), "a goal was missed");
    assert!(promoted > 0, "nobody was promoted");
}

/// One event, and its requests.
struct Round {
    site: Arc<Site>,
    ports: [u16; 2],
    /// The cookies of the people who cancel.
    cookies: Arc<[String]>,
    event: PublicEvent,
    /// The capacity of each slot. Locked until a raise is answered.
    capacities: Vec<Mutex<u32>>,
    /// The number of requests in earlier rounds.
    before: u64,
    /// The number of requests that may still be sent.
    remaining: AtomicU64,
}

/// What a connection sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Form,
    Cancel,
    Raise,
    List,
}

/// The answers of one connection.
#[derive(Default)]
struct Answers {
    sent: u64,
    refused: u64,
    unavailable: u64,
    failed: u64,
    millis: [Vec<f64>; 3],
}

impl Round {
    fn new(site: &Arc<Site>, ports: [u16; 2], cookies: &Arc<[String]>, before: u64, requests: u64) -> Self {
        let slot = |number| json!({"title": format!("Shift {number}"), "start_time": "09:00", "end_time": "12:00", "capacity": CAPACITY});
        let event = json!({
            "title": "Food drive", "start_date": "2099-06-05", "timezone": "America/New_York", "is_published": true,
            "waitlist_enabled": true, "shifts": (0..SLOTS).map(slot).collect::<Vec<_>>(),
        });
        Self {
            event: site.publish_with(&site.json("POST", "/v1/events", &event.to_string()).with_status(201)),
            site: Arc::clone(site),
            ports,
            cookies: Arc::clone(cookies),
            capacities: (0..SLOTS).map(|_| Mutex::new(CAPACITY)).collect(),
            before,
            remaining: AtomicU64::new(requests),
        }
    }

    /// Sends the requests from all connections, and looks at the slots meanwhile.
    async fn run(self: Arc<Self>, counts: &mut Counts) {
        let began = Instant::now();
        let watch = tokio::spawn(Arc::clone(&self).watch());
        let connections: Vec<_> =
            (0..CONNECTIONS).map(|number| tokio::spawn(Arc::clone(&self).send(number))).collect();
        for connection in connections {
            let Answers { sent, refused, unavailable, failed, millis } = connection.await.unwrap().unwrap();
            counts.millis.iter_mut().zip(millis).for_each(|(all, millis)| all.extend(millis));
            counts.requests += sent;
            counts.refused += refused;
            counts.unavailable += unavailable;
            counts.failed += failed;
        }
        counts.seconds += began.elapsed().as_secs_f64();
        let (looks, oversold, empty) = watch.await.unwrap().unwrap();
        counts.looks += looks;
        counts.oversold += oversold;
        counts.empty += empty;
    }

    async fn send(self: Arc<Self>, number: u64) -> io::Result<Answers> {
        let mut connection = Connection::open(self.ports[(number % 2) as usize]).await?;
        // No two connections of the rounds have the same numbers.
        let mut random = random((self.before + number + 1) << 32);
        let mut below = move |bound: u64| random.next().map_or(0, |random| random % bound);
        let (mut answers, mut listed) = (Answers::default(), Vec::<String>::new());
        let one_less = |count: u64| count.checked_sub(1);
        while self.remaining.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
            answers.sent += 1;
            let slot = below(SLOTS as u64) as usize;
            // A raise that is not answered yet keeps others of the same slot away, so that the capacity only grows.
            let mut raised = None;
            let (kind, request) = match below(100) {
                choice @ 0..55 => (Kind::Form, self.form(slot, below(PEOPLE), choice < 45)),
                55 if let Ok(capacity) = self.capacities[slot].try_lock() => {
                    let capacity = raised.insert(capacity);
                    **capacity += 1;
                    (Kind::Raise, self.raise(slot, **capacity))
                }
                _ => match listed.pop() {
                    Some(signup) => {
                        (Kind::Cancel, self.cancel(&signup, &self.cookies[below(ORGANIZERS) as usize]))
                    }
                    None => {
                        (Kind::List, self.list(slot, if below(4) == 0 { "waitlisted" } else { "confirmed" }))
                    }
                },
            };
            let began = Instant::now();
            let status = connection.send(&request).await?;
            drop(raised);
            if let Some(millis) = answers.millis.get_mut(kind as usize) {
                millis.push(began.elapsed().as_secs_f64() * 1e3);
            }
            if kind == Kind::Form && status == 409 {
                answers.refused += 1;
            } else if status == 503 {
                answers.unavailable += 1;
            } else if status != request.status {
                answers.failed += 1;
                let answer = String::from_utf8_lossy(connection.answer());
                println!("{}", answer.lines().next().unwrap_or_default());
            }
            if kind == Kind::List {
                let ids = ids(connection.body());
                let chosen = (0..CANCELS.min(ids.len())).map(|_| below(ids.len() as u64) as usize);
                listed = chosen.map(|index| ids[index].clone()).collect();
            }
        }
        Ok(answers)
    }

    /// Looks at the slots until all requests are sent. Returns the number of looks, of oversold places, and of empty places for
    /// which somebody waits.
    async fn watch(self: Arc<Self>) -> io::Result<(u64, u64, u64)> {
        let mut servers = [Connection::open(self.ports[0]).await?, Connection::open(self.ports[1]).await?];
        let slots = self.site.get(&format!("/v1/events/{}/slots", self.event.id));
        let (mut looks, mut oversold, mut empty) = (0, 0, 0);
        while self.remaining.load(Ordering::Relaxed) > 0 {
            for server in &mut servers {
                assert_eq!(server.send(&slots).await?, 200);
                let answer: Value = serde_json::from_slice(server.body())?;
                let (over, free) = wrong_places(&answer);
                (looks, oversold, empty) = (looks + 1, oversold + over, empty + free);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok((looks, oversold, empty))
    }

    /// Compares the slots with the sign-ups and the activity, when no request is under way.
    fn check(&self, counts: &mut Counts) {
        let Self { site, event, .. } = self;
        let slots = site.ask(&site.get(&format!("/v1/events/{}/slots", event.id)));
        let (over, free) = wrong_places(&slots);
        counts.oversold += over;
        counts.empty += free;
        let signups = site.list(&format!("/v1/events/{}/signups?", event.id));
        for slot in slots["data"].as_array().unwrap() {
            for (status, total) in [("confirmed", &slot["filled"]), ("waitlisted", &slot["waitlisted"])] {
                let of_slot = signups.iter().filter(|signup| signup["slot_id"] == slot["id"]);
                let found = of_slot.filter(|signup| signup["status"] == status).count();
                assert_eq!(number(total), found as u64, "{status} of {slot}");
            }
        }
        let active = || signups.iter().filter(|signup| signup["status"] != "cancelled");
        let people: BTreeSet<_> =
            active().map(|signup| (signup["slot_id"].as_str(), signup["email"].as_str())).collect();
        let activity = |kind| site.list(&format!("/v1/activity?type={kind}&event_id={}", event.id));
        let (joined, promotions) = (activity("signup.waitlisted"), activity("signup.promoted"));
        let promoted: BTreeSet<_> =
            promotions.iter().map(|activity| activity["signup_id"].as_str()).collect();
        let still_waits =
            |signup: &&Value| signup["status"] == "waitlisted" && promoted.contains(&signup["id"].as_str());
        assert_eq!(active().find(still_waits), None, "was promoted and waits");
        counts.waited += joined.len();
        counts.promoted += promoted.len();
        counts.twice += active().count() - people.len() + promotions.len() - promoted.len();
    }

    /// The form of one person, who has an address of their own.
    fn form(&self, slot: usize, person: u64, waits: bool) -> Request {
        let (slot, waitlist) = (&self.event.slots[slot], if waits { "&waitlist=1" } else { "" });
        let body = format!("slot_id={slot}&name=Ada&email=ada{person}%40example.org{waitlist}");
        self.event.form(&body).with_status(303)
    }

    fn raise(&self, slot: usize, capacity: u32) -> Request {
        let path = format!("/v1/slots/{}", self.event.slots[slot]);
        self.site.json("PATCH", &path, &json!({ "capacity": capacity }).to_string())
    }

    fn list(&self, slot: usize, status: &str) -> Request {
        let path = format!("/v1/slots/{}/signups?status={status}&per_page=100", self.event.slots[slot]);
        self.site.get(&path)
    }

    /// The form by which an organizer cancels a sign-up without a mail.
    fn cancel(&self, signup: &str, cookies: &str) -> Request {
        let path = format!("/console/starter/signups/{signup}/cancel");
        Request::form(&path, "confirmed=yes").with_header("cookie", cookies).with_status(303)
    }
}

/// Returns how many places of the slots are oversold, and how many are empty although somebody waits.
fn wrong_places(slots: &Value) -> (u64, u64) {
    let slots = slots["data"].as_array().unwrap().iter();
    let wrong = slots.map(|slot| {
        let [capacity, filled, waitlisted] =
            ["capacity", "filled", "waitlisted"].map(|field| number(&slot[field]));
        (filled.saturating_sub(capacity), if waitlisted > 0 { capacity.saturating_sub(filled) } else { 0 })
    });
    wrong.fold((0, 0), |(over, free), (more_over, more_free)| (over + more_over, free + more_free))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Returns the ids of a page of sign-ups.
fn ids(page: &[u8]) -> Vec<String> {
    let page: Value = serde_json::from_slice(page).unwrap_or_default();
    let items = page["data"].as_array().into_iter().flatten();
    items.filter_map(|item| item["id"].as_str().map(str::to_owned)).collect()
}
