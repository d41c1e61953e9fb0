//! The loads: each is a name, and the requests that its connections send in turn.

use crate::request::Request;
use crate::site::Site;

/// The name of a load, and its requests on a site.
pub(crate) type Load = (&'static str, fn(&Site) -> Vec<Request>);

/// Every load. Sign-ups come last, because the mails that they queue are sent during later bursts.
pub(crate) const ALL: [Load; 8] = [
    ("list", list),
    ("slots of random events", slots_at_random),
    ("public page", pages),
    ("create", create),
    ("patch a slot", patch),
    ("publish and unpublish", publish),
    ("sign-ups on many slots", sign_ups_on_many),
    ("sign-ups on one slot", sign_ups_on_one),
];

/// The first page of the list of events.
fn list(site: &Site) -> Vec<Request> {
    vec![site.get("/v1/events")]
}

/// The slots of each draft, in a random order that is the same in each run. There are more drafts than a cache holds.
fn slots_at_random(site: &Site) -> Vec<Request> {
    let mut drafts: Vec<_> = site.drafts.iter().zip(random(1)).collect();
    drafts.sort_by_key(|(_, number)| *number);
    drafts.iter().map(|(draft, _)| site.get(&format!("/v1/events/{draft}/slots"))).collect()
}

fn pages(site: &Site) -> Vec<Request> {
    site.published.iter().map(|event| Request::get(&format!("/events/{}", event.slug))).collect()
}

/// An event with ten slots, and an idempotency key.
fn create(site: &Site) -> Vec<Request> {
    vec![site.create(false).with_header("idempotency-key", "{number}")]
}

/// The title of each slot of the published events.
fn patch(site: &Site) -> Vec<Request> {
    let slots = site.published.iter().flat_map(|event| &event.slots);
    let patch = |slot| site.json("PATCH", &format!("/v1/slots/{slot}"), r#"{"title": "Shift {number}"}"#);
    slots.map(patch).collect()
}

/// Both requests for each draft, one after the other on one connection, so that each of them changes the event.
fn publish(site: &Site) -> Vec<Request> {
    let post = |draft, action| site.json("POST", &format!("/v1/events/{draft}/{action}"), "{}");
    site.drafts.iter().flat_map(|draft| [post(draft, "publish"), post(draft, "unpublish")]).collect()
}

fn sign_ups_on_many(site: &Site) -> Vec<Request> {
    site.published.iter().flat_map(|event| event.slots.iter().map(|slot| event.sign_up(slot))).collect()
}

fn sign_ups_on_one(site: &Site) -> Vec<Request> {
    let event = &site.published[0];
    vec![event.sign_up(&event.slots[0])]
}

/// Returns the pseudo-random numbers from this step on: SplitMix64.
pub(crate) fn random(first: u64) -> impl Iterator<Item = u64> {
    (first..).map(|step: u64| {
        let mixed = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}
