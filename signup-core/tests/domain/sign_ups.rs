//! Forms of sign-ups: whose form it is, and a form that is older than the questions or the capacity.

use signup_core::*;

use crate::scene::{Scene, place, session, volunteer};

/// A published event with one shift, and one required question of each kind.
struct World {
    scene: Scene,
    event: Event,
    shift: ScheduledShift,
    text: QuestionId,
    select: QuestionId,
    checkbox: QuestionId,
}

fn label(text: &str) -> Label {
    text.parse().unwrap()
}

async fn world() -> World {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(9).await;
    let mut ids = vec![];
    for (text, kind, options) in [
        ("Diet", QuestionKind::Text, vec![]),
        ("Shirt", QuestionKind::Select, vec![label("S"), label("M")]),
        ("Rules", QuestionKind::Checkbox, vec![]),
    ] {
        let mut question = NewQuestion::new(label(text), kind).required();
        question.options = options;
        ids.push(scene.session.add_question(event.id, question).await.unwrap().id);
    }
    let [text, select, checkbox] = ids.try_into().unwrap();
    World { scene, event, shift, text, select, checkbox }
}

impl World {
    fn answered(&self) -> NewSignup {
        let diet = "no nuts".parse().unwrap();
        volunteer("ada").answer(self.text, diet).choose(self.select, label("M")).tick(self.checkbox)
    }

    async fn form(&self) -> SignUpForm {
        self.scene.service.volunteers().form_of(self.shift.organization, [self.shift.id]).await.unwrap()
    }
}

#[tokio::test]
async fn a_shift_that_needs_no_one_takes_no_sign_up() {
    let world = world().await;
    let form = world.form().await;
    let none = ShiftPatch::new().capacity(Capacity::new(0).unwrap());
    world.scene.session.patch_shift(world.shift.id, none).await.unwrap();
    assert_eq!(place(form.sign_up(world.answered()).await), Err(Error::ShiftFull));
}

#[tokio::test]
async fn the_shifts_of_sign_ups_are_as_they_are_now_without_deleted_ones() {
    let world = world().await;
    place(world.form().await.sign_up(world.answered()).await).unwrap();
    let session = &world.scene.session;
    let signups = session.signups(SignupQuery::new()).await.unwrap().items;
    let renamed = ShiftPatch::new().title("Later".parse().unwrap());
    session.patch_shift(world.shift.id, renamed).await.unwrap();
    let found = session.shifts_of(&signups).await.unwrap();
    let titles: Vec<_> = found.values().map(|shift| shift.title.as_str()).collect();
    assert_eq!((titles, found.len()), (vec!["Later"], 1));
    session.delete_shift(world.shift.id, DeleteShift::new().cancel_signups()).await.unwrap();
    assert!(session.shifts_of(&signups).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_form_by_slug_is_that_of_the_shift() {
    let world = world().await;
    assert!(place(world.form().await.sign_up(world.answered()).await).unwrap().is_new);
    let form = world.scene.service.volunteers().form(&world.event.slug, [world.shift.id]).await.unwrap();
    assert_eq!(
        (form.shifts()[0].id, form.questions().len(), &form.event().slug),
        (world.shift.id, 3, &world.event.slug)
    );
    assert!(!place(form.sign_up(world.answered()).await).unwrap().is_new);
}

/// The volunteer reads the form, and the organizer deletes one question and changes another meanwhile.
#[tokio::test]
async fn an_older_form_is_checked_against_the_present_questions() {
    let world = world().await;
    let form = world.form().await;
    let session = &world.scene.session;
    session.delete_question(world.text).await.unwrap();
    let patch = QuestionPatch::new().options(vec![label("M"), label("XL")]);
    session.patch_question(world.select, patch).await.unwrap();
    let error = place(form.sign_up(world.answered().choose(world.select, label("S"))).await).unwrap_err();
    let Error::Invalid(faults) = error else { panic!("{error:?}") };
    let fault = Fault::new(
        FaultPath::new().field("answers").question(world.select),
        FaultKind::NotAnOption { options: vec![label("M"), label("XL")] },
    );
    assert_eq!(faults, fault.into());
    let signup = place(form.sign_up(world.answered()).await).unwrap().signup;
    let values: Vec<_> = signup.answers.iter().map(|answer| answer.value.as_str()).collect();
    assert_eq!(values, ["M", "yes"], "the answer to the deleted question is ignored");
}

/// The volunteer leaves out an answer that is required when the form is read, and the organizer deletes the question.
#[tokio::test]
async fn an_answer_that_is_no_longer_asked_for_may_be_missing() {
    let world = world().await;
    let form = world.form().await;
    world.scene.session.delete_question(world.text).await.unwrap();
    let new = volunteer("ada").choose(world.select, label("M")).tick(world.checkbox);
    assert_eq!(place(form.sign_up(new).await).unwrap().signup.answers.len(), 2);
}

#[tokio::test]
async fn an_answer_to_an_unknown_question_is_refused() {
    let world = world().await;
    let error = place(world.form().await.sign_up(world.answered().tick(QuestionId::NONE)).await).unwrap_err();
    let Error::Invalid(faults) = error else { panic!("{error:?}") };
    let path = FaultPath::new().field("answers").question(QuestionId::NONE);
    assert_eq!(faults, Fault::new(path, FaultKind::UNKNOWN).into());
}

#[tokio::test]
async fn a_repeated_form_keeps_the_first_name_address_and_answers() {
    let world = world().await;
    let first = place(world.form().await.sign_up(world.answered()).await).unwrap().signup;
    let other = NewSignup::new("ADA".parse().unwrap(), "ADA@example.org".parse().unwrap())
        .answer(world.text, "vegan".parse().unwrap())
        .choose(world.select, label("S"))
        .tick(world.checkbox);
    assert!(!place(world.form().await.sign_up(other).await).unwrap().is_new);
    let kept = world.scene.session.signup(first.id).await.unwrap();
    assert!(kept.repeated_at.is_some(), "the repetition is mailed");
    assert_eq!((&kept.name, kept.email.as_str()), (&first.name, "ada@example.org"));
    assert_eq!(kept.answers, first.answers);
    let mut bob = world.answered();
    bob.people[0].name = "Bob".parse().unwrap();
    assert!(place(world.form().await.sign_up(bob).await).unwrap().is_new, "another person of the address");
}

/// The shift has one place. An old form must not reveal which address has it.
#[tokio::test]
async fn an_old_form_answers_an_address_with_a_place_like_every_other() {
    let scene = Scene::start().await;
    let (_, shift) = scene.event(9).await;
    let form = async || scene.service.volunteers().form_of(shift.organization, [shift.id]).await.unwrap();
    let old = form().await;
    let one = ShiftPatch::new().capacity(Capacity::new(1).unwrap());
    scene.session.patch_shift(shift.id, one).await.unwrap();
    let new = form().await;
    place(new.sign_up(volunteer("ada")).await).unwrap();
    for form in [old, new] {
        assert_eq!(place(form.sign_up(volunteer("bob")).await), Err(Error::ShiftFull));
        assert_eq!(place(form.sign_up(volunteer("ada")).await), Err(Error::ShiftFull));
    }
}

/// Adds shifts with these capacities to the event, one after the other from 22:00, and returns all shifts of the event.
async fn with_shifts(scene: &Scene, event: &Event, capacities: &[u32]) -> Vec<ShiftId> {
    let new = capacities.iter().zip(0..).map(|(capacity, number)| {
        let hours = Hours::between(time(22, 10 * number, 0, 0), time(22, 10 * number + 10, 0, 0)).unwrap();
        NewShift::new("Tidying".parse().unwrap(), Capacity::new(*capacity).unwrap()).hours(hours)
    });
    scene.session.add_shifts(event.id, new.collect()).await.unwrap();
    let found = scene.service.volunteers().event(&event.slug).await.unwrap();
    found.shifts.iter().map(|shift| shift.id).collect()
}

fn family(names: &[&str]) -> NewSignup {
    let first = NewSignup::new(names[0].parse().unwrap(), "ada@example.org".parse().unwrap());
    names[1..].iter().fold(first, |new, name| new.and(name.parse().unwrap()))
}

async fn filled(scene: &Scene, slug: &str) -> Vec<u32> {
    let found = scene.service.volunteers().event(slug).await.unwrap();
    found.shifts.iter().map(|shift| shift.occupancy.filled).collect()
}

#[tokio::test]
async fn each_shift_of_a_form_is_decided_by_itself_for_all_people_or_none() {
    let scene = Scene::start().await;
    let (event, _) = scene.event(2).await;
    let shifts = with_shifts(&scene, &event, &[1, 3, 9]).await;
    let form = scene.service.volunteers().form(&event.slug, shifts.iter().rev().copied()).await.unwrap();
    scene.session.delete_shift(shifts[3], DeleteShift::new()).await.unwrap();
    let signed_up = form.sign_up(family(&["Ada", "Bo"])).await.unwrap();
    let outcomes: Vec<_> =
        signed_up.shifts.iter().map(|shift| (shift.shift.id, shift.places.clone())).collect();
    let names = |places: Result<Vec<Place>>| {
        places.map(|places| places.iter().map(|place| place.signup.name.to_string()).collect::<Vec<_>>())
    };
    let both = || Ok(vec!["Ada".to_owned(), "Bo".to_owned()]);
    let expected = [both(), Err(Error::ShiftFull), both(), Err(Error::ShiftDeleted)];
    let expected: Vec<_> = shifts.iter().copied().zip(expected).collect();
    let found: Vec<_> = outcomes.into_iter().map(|(shift, places)| (shift, names(places))).collect();
    assert_eq!(found, expected);
    assert_eq!(filled(&scene, &event.slug).await, [2, 0, 2]);
    assert_eq!(signed_up.into_places(), Err(Error::ShiftFull));
}

#[tokio::test]
async fn a_person_with_a_place_keeps_it_beside_new_people() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(3).await;
    let sign_up = async |names: &[&str]| {
        let form = scene.service.volunteers().form(&event.slug, [shift.id]).await.unwrap();
        form.sign_up(family(names)).await.unwrap().into_places()
    };
    let first = sign_up(&["Ada"]).await.unwrap().remove(0).signup;
    let [ada, bo] = &sign_up(&["ADA", "Bo"]).await.unwrap()[..] else { panic!("two people") };
    assert_eq!((ada.is_new, ada.signup.id, bo.is_new), (false, first.id, true));
    assert_eq!(filled(&scene, &event.slug).await, [2]);
    // One place is left. The form asks for two, although one person has a place already.
    assert_eq!(sign_up(&["Ada", "Bo"]).await, Err(Error::ShiftFull));
    assert_eq!(sign_up(&["Ada", "Cy"]).await, Err(Error::ShiftFull));
    assert_eq!(filled(&scene, &event.slug).await, [2]);
}

#[tokio::test]
async fn an_address_has_at_most_20_places_on_a_shift() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(99).await;
    let names: Vec<_> = (0..24).map(|number| format!("Ada {number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let sign_up = async |names: &[&str]| {
        let form = scene.service.volunteers().form(&event.slug, [shift.id]).await.unwrap();
        form.sign_up(family(names)).await.unwrap().into_places().map(|places| places.len())
    };
    assert_eq!(sign_up(&names[..10]).await, Ok(10));
    assert_eq!(sign_up(&names[10..18]).await, Ok(8));
    assert_eq!(sign_up(&names[18..21]).await, Err(Error::ShiftFull));
    assert_eq!(sign_up(&names[18..20]).await, Ok(2));
    assert_eq!(sign_up(&names[20..21]).await, Err(Error::ShiftFull));
    scene.sign_up(&shift, "bob").await.unwrap();
    assert_eq!(filled(&scene, &event.slug).await, [21]);
}

#[tokio::test]
async fn a_form_has_1_to_20_shifts_and_counts_each_once() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(3).await;
    let volunteers = scene.service.volunteers();
    let unknown = (0..21).map(|_| ShiftId::new(new_uuid(scene.service.now())));
    let fault = |kind| Err(Error::Invalid(Faults::one("shifts", kind)));
    assert_eq!(volunteers.form(&event.slug, []).await.map(drop), fault(FaultKind::Required));
    assert_eq!(volunteers.form_of(event.organization, []).await.map(drop), fault(FaultKind::Required));
    let too_many = FaultKind::TooMany { items: "shifts in one form", max: 20, present: 0 };
    assert_eq!(volunteers.form(&event.slug, unknown).await.map(drop), fault(too_many));
    let form = volunteers.form(&event.slug, [shift.id; 21]).await.unwrap();
    assert_eq!(form.sign_up(volunteer("ada")).await.unwrap().shifts.len(), 1);
}

#[tokio::test]
async fn a_shift_of_another_organization_or_event_is_not_found() {
    let scene = Scene::start().await;
    let ((event, shift), (_, other)) = (scene.event(9).await, scene.event(9).await);
    let volunteers = scene.service.volunteers();
    assert!(volunteers.form_of(OrganizationId::NONE, [shift.id]).await.unwrap_err().is_not_found());
    assert!(volunteers.form(&event.slug, [other.id]).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_list_of_sign_ups_is_that_of_an_event_or_of_a_shift_that_the_organization_has() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    let (other, elsewhere) = scene.event(2).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    scene.sign_up(&elsewhere, "grace").await.unwrap();
    let list = async |query: SignupQuery| {
        let page = scene.session.signups(query).await?;
        Ok(page.items.iter().map(|signup| signup.name.to_string()).collect::<Vec<_>>())
    };
    let all = SignupQuery::new;
    assert_eq!(list(all().of_event(event.id)).await.unwrap(), ["ada"]);
    assert_eq!(list(all().of_shift(elsewhere.id)).await.unwrap(), ["grace"]);
    assert_eq!(list(all().of_event(event.id).of_shift(shift.id)).await.unwrap(), ["ada"]);
    let stranger = session(&scene.service, Plan::Pro).await;
    let deleted = scene.session.create_event(empty_event()).await.unwrap().event.id;
    scene.session.delete_event(deleted).await.unwrap();
    for (what, query) in [
        ("no such event", all().of_event(EventId::NONE)),
        ("no such shift", all().of_shift(ShiftId::NONE)),
        ("a deleted event", all().of_event(deleted)),
        ("a shift of another event", all().of_event(other.id).of_shift(shift.id)),
        ("no such event, with a shift", all().of_event(EventId::NONE).of_shift(shift.id)),
    ] {
        assert_eq!(list(query).await, Err(Error::NotFound), "{what}");
    }
    for query in [all().of_event(event.id), all().of_shift(shift.id)] {
        assert_eq!(stranger.signups(query).await.unwrap_err(), Error::NotFound, "another organization");
    }
}

fn empty_event() -> NewEvent {
    NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap())
}
