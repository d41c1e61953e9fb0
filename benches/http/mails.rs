//! Mails to the volunteers of events, and codes to sign in that people ask for meanwhile.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use signup_benches::quantile;
use tokio::runtime::Runtime;

use crate::burst::Burst;
use crate::request::Request;
use crate::site::{Engine, PublicEvent, Site};
use crate::smtp::MailServer;

const FEW: u64 = 10;
const MANY: u64 = 10_000;
/// The number of events with few sign-ups. The median of their times is compared.
const SMALL_EVENTS: u64 = 9;
/// The number of sign-ups that are mailed about by a slow mail server.
const SLOW: u64 = 1000;
const SLOW_ANSWER: Duration = Duration::from_millis(300);
const SLOW_TIME: Duration = Duration::from_secs(30);
/// The people who sign in. The codes for one address are limited.
const PEOPLE: u32 = 8;
/// The pause between the arrival of a code and the next request of one.
const PAUSE: Duration = Duration::from_millis(250);
/// Longer than the interval at which a server looks for mails.
const NOTHING_MORE: Duration = Duration::from_millis(2500);

/// A server that sends its mails to a mail server of the benchmark.
pub(crate) struct Mails {
    site: Site,
    server: MailServer,
    /// The number of mails to volunteers that have a cause.
    caused: u64,
    /// The number of codes that were asked for.
    codes: u32,
}

/// Mails that are sent while codes are asked for.
struct Flow {
    mails_per_s: f64,
    /// The longest time until a code arrived, in seconds.
    slowest_code_s: f64,
}

impl Mails {
    pub(crate) fn start(program: &Path, engine: Engine<'_>, runtime: &Runtime) -> Self {
        let server = MailServer::start(runtime);
        let site = Site::empty(program, engine, &["--smtp", &server.url, "--change-mail-delay", "0"]);
        for number in 0..PEOPLE {
            drop(site.sign_in(&person(number)));
        }
        Self { site, server, caused: 0, codes: 0 }
    }

    /// Measures each figure of the table.
    pub(crate) fn measure(mut self) -> Vec<(&'static str, f64)> {
        let few_ms: Vec<_> = (0..SMALL_EVENTS).map(|_| self.cancelled_ms(FEW)).collect();
        let few_ms = quantile(&few_ms, 0.5);
        let many_ms = self.cancelled_ms(MANY);
        let caused = self.caused;
        let fast = self.flow(|server, _| volunteer_mails(server) >= caused);
        sleep(NOTHING_MORE);
        assert_eq!(self.server.mails(is_volunteer), vec![2; caused as usize / 2], "one mail for each cause");
        self.server.set_pause(SLOW_ANSWER);
        drop(self.event_with(SLOW));
        let slow = self.flow(|_, began| began.elapsed() >= SLOW_TIME);
        vec![
            ("cancel an event with 10 sign-ups, ms", few_ms),
            ("cancel an event with 10,000 sign-ups, ms", many_ms),
            ("the second divided by the first (goal: 1)", many_ms / few_ms),
            ("mails per second", fast.mails_per_s),
            ("slowest code, s (goal: 2)", fast.slowest_code_s),
            ("slow mail server: mails per second", slow.mails_per_s),
            ("slow mail server: slowest code, s", slow.slowest_code_s),
        ]
    }

    /// Creates a published event with this number of sign-ups.
    fn event_with(&mut self, signups: u64) -> PublicEvent {
        self.caused += signups;
        let event = self.site.publish();
        let sign_up = event.sign_up(&event.slots[0]);
        drop(self.site.runtime.block_on(Burst::of_answers(self.site.process.port, &[sign_up], signups)));
        event
    }

    /// Cancels an event whose volunteers have their mails. Returns the time until the answer.
    fn cancelled_ms(&mut self, signups: u64) -> f64 {
        let event = self.event_with(signups);
        self.server.wait_for(self.caused, volunteer_mails);
        sleep(NOTHING_MORE);
        self.caused += signups;
        let cancel = self.site.json("POST", &format!("/v1/events/{}/cancel", event.id), "{}");
        let began = Instant::now();
        drop(cancel.send(self.site.process.port));
        began.elapsed().as_secs_f64() * 1000.0
    }

    /// Asks for one code after the other until `is_over`.
    fn flow(&mut self, is_over: impl Fn(&MailServer, Instant) -> bool) -> Flow {
        let (mails, began) = (volunteer_mails(&self.server), Instant::now());
        let mut codes_s = vec![];
        while !is_over(&self.server, began) {
            codes_s.push(self.code_s());
            sleep(PAUSE);
        }
        let mails = volunteer_mails(&self.server) - mails;
        Flow {
            mails_per_s: mails as f64 / began.elapsed().as_secs_f64(),
            slowest_code_s: quantile(&codes_s, 1.0),
        }
    }

    /// Asks for a code. Returns the time until it arrived.
    fn code_s(&mut self) -> f64 {
        let address = person(self.codes % PEOPLE);
        let ask = Request::form("/sign-in", &format!("email={}", address.replace('@', "%40")));
        // The codes that one client may ask for are limited, too.
        let client = std::net::Ipv4Addr::from(0xac10_0000 + self.codes);
        self.codes += 1;
        let mails_to = |server: &MailServer| server.mails(|to| to == address).iter().sum();
        let (before, began) = (mails_to(&self.server), Instant::now());
        drop(ask.with_header("x-forwarded-for", &client.to_string()).send(self.site.process.port));
        self.server.wait_for(before + 1, mails_to);
        began.elapsed().as_secs_f64()
    }
}

/// Returns the address of a person who signs in.
fn person(number: u32) -> String {
    format!("person{number}@example.org")
}

fn is_volunteer(address: &str) -> bool {
    address.starts_with("ada")
}

fn volunteer_mails(server: &MailServer) -> u64 {
    server.mails(is_volunteer).iter().sum()
}
