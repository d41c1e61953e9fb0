//! The pages in each language, as their readers see them. The snapshots are read by people who speak the language.

use std::net::{IpAddr, Ipv4Addr};

use insta::assert_snapshot;
use regex::Regex;
use signup_core::{
    Capacity, EventPatch, FixedClock, Hours, Language, NewEvent, NewOrganization, NewQuestion, NewShift,
    QuestionKind, Scopes, Secret, Service, ShiftId, date,
};
use signup_store_memory::MemoryStore;
use warp::http::HeaderMap;
use warp::http::header::{COOKIE, SET_COOKIE};

use super::cancelled_tests::{Sample, form, shown};
use super::*;

/// Creates an event with a morning, a night, a day and a shift that takes nobody.
pub(super) async fn event(language: Language) -> (Sample, Vec<ShiftId>) {
    let service = Service::new(MemoryStore::new());
    let service = service.with_clock(FixedClock::at("2027-02-01T12:00:00Z".parse().unwrap()));
    let mut new = NewOrganization::new("Riverside".parse().unwrap());
    new.contact = Some("help@riverside.example".parse().unwrap());
    new.privacy_url = Some("https://riverside.example/privacy".parse().unwrap());
    let organization = service.admin().create_organization(new).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    let shift = |title: &str, places| NewShift::new(title.parse().unwrap(), Capacity::new(places).unwrap());
    let hours = |start, end| Hours::parse(Some(start), Some(end)).unwrap();
    let night = Hours::overnight("22:00".parse().unwrap(), "06:00".parse().unwrap()).unwrap();
    let new =
        NewEvent::new("Food drive".parse().unwrap(), date(2027, 3, 6), "Europe/Berlin".parse().unwrap())
            .end_date(date(2027, 3, 7))
            .language(language)
            .location("12 Mill Road".parse().unwrap())
            .instructions("Ring twice.".parse().unwrap())
            .shift(shift("Packing", 8).hours(hours("09:00", "12:30")))
            .shift(shift("Sorting", 2).hours(hours("12:00", "17:00")))
            .shift(shift("Night watch", 1).hours(night))
            .shift(shift("Parking", 0).hours(Hours::ALL_DAY.on_day(2).unwrap()))
            .published();
    let created = session.create_event(new).await.unwrap();
    let question = NewQuestion::new("T-shirt".parse().unwrap(), QuestionKind::Select).required();
    let question = question.option("M".parse().unwrap());
    service.admin().add_question(created.event.id, question).await.unwrap();
    let shifts: Vec<_> = created.shifts.iter().map(|shift| shift.id).collect();
    (Sample::of(service, created.event, shifts[0]).await, shifts)
}

/// Returns what a page says, one element a line. Text that is only read out is in brackets.
fn readable(html: &str) -> String {
    let replace =
        |html: &str, pattern: &str, by: &str| Regex::new(pattern).unwrap().replace_all(html, by).into_owned();
    let html = replace(html, "(?s)<style>.*?</style>", "");
    let html = replace(&html, "<html lang=\"([^\"]*)\"[^>]*>", "[$1]\n");
    let html = replace(
        &html,
        "<meta (?:name=\"description\"|property=\"og:(?:locale|title)\") content=\"([^\"]*)\">",
        "[$1]\n",
    );
    let html = replace(&html, "(?s)<span class=\"quiet\">(.*?)</span>", "[$1]");
    let html =
        replace(&html, "<svg[^>]*aria-label=\"([^\"]*)\"[^>]*aria-valuetext=\"([^\"]*)\"[^>]*>", "[$1: $2]");
    let html = replace(&html, "</(?:p|h[1-4]|li|dd|dt|legend|label|button|div|a|option|title)>", "\n");
    let html = replace(&html, "<[^>]*>", "");
    let lines = html.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

pub(super) async fn read(response: Response) -> String {
    let page = shown(response).await;
    format!("=== {}\n{}\n", page.status, readable(&page.text))
}

/// Returns the pages that a volunteer sees on the way from the event to a cancelled place, and the event once its
/// sign-ups are closed.
async fn pages(language: Language) -> String {
    let (sample, shifts) = event(language).await;
    let (pages, slug) = (&sample.pages, &sample.event.slug);
    let ids: Vec<_> = shifts.iter().map(ToString::to_string).collect();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    let question = sample.service.volunteers().event(slug).await.unwrap().questions[0].id;
    let answer = |row: &str| format!("{row}answer.{question}");
    let (answer_of_ada, answer_of_bo) = (answer(""), answer("people.1."));
    let ada = [("name", "Ada"), ("email", "ada@example.org"), (&*answer_of_ada, "M")];
    let bo = [("people.1.name", "Bo"), (&*answer_of_bo, "M")];
    let send = async |fields: &[(&str, &str)]| {
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        pages.clone().sign_up(slug.clone(), client, form(fields)).await
    };
    let [packing, sorting, night, _] = ids[..] else { panic!("four shifts") };
    let mut all = read(pages.clone().event(slug.clone(), String::new()).await).await;
    // Overlaps, a missing name and address, and a faulty second person.
    let faulty = [("slot_id", packing), ("slot_id", sorting), ("people.1.name", "\t"), (&*answer_of_bo, "X")];
    all += &read(send(&faulty).await).await;
    // The night watch has only one place.
    let too_many = [&[("slot_id", packing), ("slot_id", night)], &ada[..], &bo].concat();
    all += &read(send(&too_many).await).await;
    let done = send(&[&[("slot_id", sorting)], &ada[..], &bo].concat()).await;
    let cookie = done.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().parse().unwrap();
    let headers = HeaderMap::from_iter([(COOKIE, cookie)]);
    all += &read(pages.clone().signed_up(slug.clone(), headers).await).await;
    let secret = secret(&sample).await;
    let link = || secret.reveal().to_string();
    all += &read(pages.clone().places(link()).await).await;
    all += &read(pages.clone().cancel(link(), form(&[])).await).await;
    all += &read(
        pages.clone().ask_to_cancel(link(), format!("signup_id={}", one_place(&sample, &secret).await)).await,
    )
    .await;
    let close = EventPatch::new().signups_close_at("2027-02-01T12:00".parse().unwrap());
    sample.session.patch_event(sample.event.id, close).await.unwrap();
    all += &read(pages.clone().event(slug.clone(), String::new()).await).await;
    all.replace(&link(), "{secret}").replace(&**slug, "{slug}")
}

/// Returns the secret of the link in the mail to Ada.
async fn secret(sample: &Sample) -> Secret {
    let outbox = sample.service.outbox();
    let notice = outbox.due(1).await.unwrap().pop().unwrap();
    outbox.claim(&notice).await.unwrap().unwrap().secret.unwrap()
}

async fn one_place(sample: &Sample, secret: &Secret) -> signup_core::SignupId {
    sample.service.volunteers().places(secret).await.unwrap().signups[0].signup.id
}

#[tokio::test]
async fn the_pages_speak_the_language_of_their_event() {
    for language in [Language::EnUs, Language::De, Language::Fr, Language::Es] {
        assert_snapshot!(format!("pages_{language}"), pages(language).await);
    }
}
