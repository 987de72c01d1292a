//! The promise of [`Index`].

use std::collections::BTreeMap;

use crate::bounds::{
    INDEX_BATCH_MAX, INDEX_DOCUMENTS_MAX, INDEX_FACET_VALUES_MAX, INDEX_FACETS_MAX,
    INDEX_FEW_MATCHES, INDEX_FIELD_BYTES_MAX, INDEX_FIELDS_MAX, INDEX_FILTER_DEPTH_MAX,
    INDEX_HITS_MAX, INDEX_NAME_BYTES_MAX, INDEX_PAGE_MAX, INDEX_TEXT_BYTES_MAX,
};
use crate::index::Term;
use crate::port::{
    Collection, Document, Facet, FacetValue, FieldValue, Filter, Index, IndexPage, IndexQuery,
    IndexedSource, Order,
};
use crate::{Error, IndexName};

/// Checks every sentence of the promise. `make` returns an empty index.
///
/// An index may lose anything at any time, but then a suite could show nothing: while nothing disturbs it, an adapter
/// must keep what it is given.
pub async fn suite<I: Index>(make: impl Fn() -> I) {
    an_empty_index_has_nothing(&make()).await;
    replacing_a_source_replaces_all_of_it(&make()).await;
    what_is_removed_is_not_found_any_more(&make()).await;
    collections_and_their_versions_are_apart(&make()).await;
    cursors_and_scans_go_through_all_sources(&make()).await;
    filters_hold_for_what_they_say(&make()).await;
    words_are_our_tokens(&make()).await;
    the_order_is_by_value_then_by_name(&make()).await;
    pages_follow_each_other(&make()).await;
    facets_count_the_matches(&make()).await;
    the_version_changes_with_every_change(&make()).await;
    calls_beyond_a_limit_are_refused(&make()).await;
    many_documents_are_answered_like_few(&make()).await;
}

/// Returns a name.
pub fn name(text: &str) -> IndexName {
    text.parse().expect("a name")
}

/// Returns the collection that the suite uses.
pub fn runs() -> Collection {
    Collection { name: name("runs"), version: 1 }
}

/// Returns a document.
pub fn document(id: &str, text: &str, fields: &[(&str, FieldValue)]) -> Document {
    let fields = fields.iter().map(|(field, value)| (name(field), value.clone()));
    let payload = format!("payload of {id}").into_bytes();
    Document { id: id.to_owned(), fields: fields.collect(), text: text.to_owned(), payload }
}

/// Returns a source.
pub fn source(name: &str, documents: Vec<Document>) -> IndexedSource {
    IndexedSource { name: name.to_owned(), cursor: format!("cursor of {name}").into(), documents }
}

/// Returns a query for everything in the collection of the suite.
pub fn everything() -> IndexQuery {
    IndexQuery {
        collection: runs(),
        filter: Filter::everything(),
        order: None,
        from: 0,
        limit: INDEX_HITS_MAX,
        facets: Vec::new(),
    }
}

async fn replace(index: &impl Index, sources: Vec<IndexedSource>) {
    index.replace(&runs(), sources).await.expect("it is written");
}

async fn ask(index: &impl Index, query: &IndexQuery) -> IndexPage {
    index.query(query).await.expect("it is answered")
}

fn ids(page: &IndexPage) -> Vec<&str> {
    page.hits.iter().map(|hit| hit.id.as_str()).collect()
}

async fn matching(index: &impl Index, filter: Filter) -> Vec<String> {
    let page = ask(index, &IndexQuery { filter, ..everything() }).await;
    assert_eq!(page.total, page.hits.len() as u64);
    ids(&page).into_iter().map(str::to_owned).collect()
}

fn has(text: &str) -> Filter {
    Filter::Has(Term::new(text, false).expect("it has a word"))
}

async fn an_empty_index_has_nothing(index: &impl Index) {
    let query = IndexQuery { facets: vec![name("status")], ..everything() };
    let page = ask(index, &query).await;
    assert_eq!((page.total, page.hits), (0, Vec::new()));
    assert_eq!(page.facets, [Facet { field: name("status"), values: Vec::new(), more: 0 }]);
    let cursors = index.cursors(&runs(), None, 1).await.expect("it is answered");
    assert!(cursors.cursors.is_empty() && !cursors.more);
    index.remove(&name("runs"), vec!["nowhere".to_owned()]).await.expect("there is nothing to do");
}

async fn replacing_a_source_replaces_all_of_it(index: &impl Index) {
    let first = vec![
        document("a", "first words", &[("status", "open".into())]),
        document("b", "other", &[("status", "open".into()), ("gaps", 1.into())]),
    ];
    replace(index, vec![source("one", first), source("two", vec![document("c", "kept", &[])])])
        .await;
    let again = vec![document("a", "second words", &[("gaps", 2.into())]), document("d", "", &[])];
    let again = IndexedSource { cursor: b"later".to_vec(), ..source("one", again) };
    replace(index, vec![again]).await;
    assert_eq!(matching(index, Filter::everything()).await, ["a", "d", "c"]);
    assert!(matching(index, has("first")).await.is_empty());
    assert!(matching(index, has("other")).await.is_empty());
    assert_eq!(matching(index, has("second")).await, ["a"]);
    assert_eq!(matching(index, has("words")).await, ["a"]);
    assert!(matching(index, Filter::Equals(name("status"), "open".into())).await.is_empty());
    assert_eq!(matching(index, Filter::Equals(name("gaps"), 2.into())).await, ["a"]);
    let page = index.cursors(&runs(), None, 10).await.expect("it is answered");
    let cursors = [("one", "later"), ("two", "cursor of two")];
    let expected = cursors.map(|(source, cursor)| (source.to_owned(), cursor.as_bytes().to_vec()));
    assert_eq!(page.cursors, expected);
    // A source without documents keeps its cursor: it was read, and had nothing to show.
    replace(index, vec![source("one", Vec::new())]).await;
    assert_eq!(matching(index, Filter::everything()).await, ["c"]);
    assert_eq!(index.cursors(&runs(), None, 10).await.expect("it is answered").cursors.len(), 2);
}

async fn what_is_removed_is_not_found_any_more(index: &impl Index) {
    let of = |name: &str| {
        let document = document(name, "a shared word", &[("status", "open".into())]);
        source(name, vec![document])
    };
    replace(index, vec![of("one"), of("two"), of("three")]).await;
    index
        .remove(&name("runs"), vec!["one".into(), "three".into(), "four".into()])
        .await
        .expect("they are removed");
    for filter in
        [Filter::everything(), has("shared"), Filter::Equals(name("status"), "open".into())]
    {
        assert_eq!(matching(index, filter).await, ["two"]);
    }
    let cursors = index.cursors(&runs(), None, 10).await.expect("it is answered").cursors;
    assert_eq!(cursors.len(), 1);
    // It can come back.
    replace(index, vec![of("one")]).await;
    assert_eq!(matching(index, has("shared")).await, ["one", "two"]);
}

async fn collections_and_their_versions_are_apart(index: &impl Index) {
    let (old, new) = (runs(), Collection { version: 2, ..runs() });
    let other = Collection { name: name("frames"), version: 1 };
    let of =
        |id: &str| vec![source("one", vec![document(id, "a word", &[("status", "open".into())])])];
    index.replace(&other, of("frame")).await.expect("it is written");
    index.replace(&old, of("old")).await.expect("it is written");
    let found = async |collection: &Collection| {
        let query = IndexQuery {
            collection: collection.clone(),
            filter: has("word"),
            facets: vec![name("status")],
            ..everything()
        };
        let page = ask(index, &query).await;
        assert_eq!(page.facets[0].values.iter().map(|one| one.count).sum::<u64>(), page.total);
        ids(&page).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(&old).await, ["old"]);
    assert!(found(&new).await.is_empty(), "another version sees nothing");
    index.replace(&new, of("new")).await.expect("it is written");
    assert_eq!((found(&old).await, found(&new).await), (vec![], vec!["new".to_owned()]));
    // An older program may still write its own, and takes nothing from the newer one.
    index.replace(&old, of("old")).await.expect("it is written");
    assert_eq!(found(&new).await, ["new"]);
    index.remove(&name("runs"), vec!["one".to_owned()]).await.expect("it is removed");
    assert!(found(&old).await.is_empty() && found(&new).await.is_empty(), "from every version");
    assert_eq!(found(&other).await, ["frame"]);
}

async fn cursors_and_scans_go_through_all_sources(index: &impl Index) {
    let names: Vec<String> = (0..25).map(|number| format!("s{number:02}")).collect();
    let documents = || vec![document("b", "", &[]), document("a", "", &[])];
    let all = names.iter().map(|name| source(name, documents())).collect();
    replace(index, all).await;
    let (mut found, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = index.cursors(&runs(), after.as_deref(), 10).await.expect("it is answered");
        let scanned = index.scan(&runs(), after.as_deref(), 10).await.expect("it is answered");
        assert_eq!(scanned.more, page.more);
        for (cursor, entry) in page.cursors.iter().zip(&scanned.sources) {
            assert_eq!(*cursor, (entry.name.clone(), entry.cursor.clone()));
            let documents = ["a", "b"].map(|id| (id.to_owned(), document(id, "", &[]).payload));
            assert_eq!(entry.documents, documents);
        }
        found.extend(page.cursors.into_iter().map(|(name, _)| name));
        if !page.more {
            break;
        }
        after = found.last().cloned();
    }
    assert_eq!(found, names);
}

async fn filters_hold_for_what_they_say(index: &impl Index) {
    let documents = vec![
        document("a", "login page", &[("status", "blocked".into()), ("gaps", 0.into())]),
        document("b", "login", &[("status", "open".into()), ("gaps", 3.into())]),
        document("c", "", &[("status", "opened".into()), ("gaps", (-1).into())]),
        document("d", "page", &[("gaps", "3".into()), ("status", 7.into())]),
        document("e", "", &[]),
        document("f", "", &[("status", "".into())]),
    ];
    replace(index, vec![source("one", documents)]).await;
    let equals = |field, value| Filter::Equals(name(field), value);
    let starts = |start: &str| Filter::StartsWith(name("status"), start.to_owned());
    let not = |filter| Filter::Not(Box::new(filter));
    let cases: Vec<(Filter, &[&str])> = vec![
        (Filter::everything(), &["a", "b", "c", "d", "e", "f"]),
        (Filter::Any(Vec::new()), &[]),
        (equals("status", "open".into()), &["b"]),
        (equals("status", 7.into()), &["d"]),
        (equals("gaps", 3.into()), &["b"]),
        (equals("gaps", "3".into()), &["d"]),
        (equals("nothing", 1.into()), &[]),
        (starts("open"), &["b", "c"]),
        (starts(""), &["a", "b", "c", "f"]),
        (starts("zebra"), &[]),
        (Filter::Less(name("gaps"), 3), &["a", "c"]),
        (Filter::Greater(name("gaps"), -1), &["a", "b"]),
        (Filter::Greater(name("gaps"), i64::MAX), &[]),
        (not(equals("status", "open".into())), &["a", "c", "d", "e", "f"]),
        (not(Filter::everything()), &[]),
        (Filter::All(vec![has("login"), not(has("page"))]), &["b"]),
        (Filter::All(vec![not(has("login")), not(has("page"))]), &["c", "e", "f"]),
        (Filter::Any(vec![has("page"), starts("opened")]), &["a", "c", "d"]),
        (Filter::All(vec![starts("open"), Filter::Less(name("gaps"), 0)]), &["c"]),
        (Filter::All(vec![Filter::Any(vec![has("login")]), starts("b")]), &["a"]),
    ];
    for (filter, expected) in cases {
        assert_eq!(matching(index, filter.clone()).await, expected, "{filter:?}");
    }
}

async fn words_are_our_tokens(index: &impl Index) {
    let texts = [
        ("a", "The run_index of ALL runs"),
        ("b", "run the index"),
        ("c", "Käse: 登录, ＬＯＧＩＮ"),
        ("d", "NOT OR AND NEAR(x) text: \"quoted\" * ^"),
        ("e", &"x".repeat(200)),
    ];
    let documents = texts.map(|(id, text)| document(id, text, &[]));
    replace(index, vec![source("one", documents.to_vec())]).await;
    let long = "x".repeat(200);
    let cases: [(&str, bool, &[&str]); 19] = [
        ("index", false, &["a", "b"]),
        ("run_index", false, &["a"]),
        ("run-INDEX", false, &["a"]),
        ("inde", false, &[]),
        ("inde", true, &["a", "b"]),
        ("run ind", true, &["a"]),
        ("all", false, &["a"]),
        ("kase", false, &[]),
        ("KÄSE", false, &["c"]),
        ("ka\u{308}se", false, &["c"]),
        ("登", false, &["c"]),
        ("登录", false, &["c"]),
        ("录登", false, &[]),
        ("login", false, &["c"]),
        ("not or", false, &["d"]),
        ("near", false, &["d"]),
        ("text quoted", false, &["d"]),
        (&long, false, &["e"]),
        (&long[..150], true, &["e"]),
    ];
    for (words, is_prefix, expected) in cases {
        let term = Term::new(words, is_prefix).expect("it has a word");
        assert_eq!(matching(index, Filter::Has(term)).await, expected, "{words:?} {is_prefix}");
    }
    let page = ask(index, &IndexQuery { filter: has("index"), ..everything() }).await;
    let excerpt = page.hits[0].excerpt.as_ref().expect("it has the word");
    assert_eq!(excerpt.pieces[1].text, "index");
    let page = ask(index, &everything()).await;
    assert!(page.hits.iter().all(|hit| hit.excerpt.is_none()));
}

async fn the_order_is_by_value_then_by_name(index: &impl Index) {
    let documents = |fields: [(&str, Option<FieldValue>); 3]| {
        let documents = fields.into_iter().map(|(id, value)| match value {
            Some(value) => document(id, "", &[("key", value)]),
            None => document(id, "", &[]),
        });
        documents.collect::<Vec<_>>()
    };
    let one = documents([("b", Some(1.into())), ("a", Some(1.into())), ("none", None)]);
    let two =
        documents([("a2", Some("Ä".into())), ("b2", Some("Z".into())), ("c2", Some((-5).into()))]);
    let three = documents([("a3", Some(1.into())), ("b3", Some("a".into())), ("c3", None)]);
    replace(index, vec![source("two", two), source("one", one), source("three", three)]).await;
    let order = |field: &str, is_descending| Some(Order { field: name(field), is_descending });
    let cases: [(Option<Order>, &[&str]); 4] = [
        (None, &["a", "b", "none", "a3", "b3", "c3", "a2", "b2", "c2"]),
        (order("key", false), &["c2", "a", "b", "a3", "b2", "b3", "a2", "none", "c3"]),
        (order("key", true), &["a2", "b3", "b2", "a", "b", "a3", "c2", "none", "c3"]),
        (order("nothing", true), &["a", "b", "none", "a3", "b3", "c3", "a2", "b2", "c2"]),
    ];
    for (order, expected) in cases {
        let query = IndexQuery { order, ..everything() };
        assert_eq!(ids(&ask(index, &query).await), expected, "{:?}", query.order);
    }
}

async fn pages_follow_each_other(index: &impl Index) {
    let documents = (0..50)
        .map(|number| document(&format!("d{number:02}"), "", &[("key", (number % 7).into())]));
    replace(index, vec![source("one", documents.collect())]).await;
    let order = Some(Order { field: name("key"), is_descending: true });
    let all = IndexQuery { order: order.clone(), ..everything() };
    let whole = ask(index, &all).await;
    let mut found = Vec::new();
    for from in (0..60).step_by(8) {
        let page = ask(index, &IndexQuery { from, limit: 8, ..all.clone() }).await;
        assert_eq!(page.total, 50);
        found.extend(page.hits);
    }
    assert_eq!(found, whole.hits);
    let counted = ask(index, &IndexQuery { limit: 0, ..all.clone() }).await;
    assert_eq!((counted.hits.len(), counted.total), (0, 50));
    let beyond = ask(index, &IndexQuery { from: u64::MAX, ..all }).await;
    assert_eq!((beyond.hits.len(), beyond.total), (0, 50));
}

async fn facets_count_the_matches(index: &impl Index) {
    let documents: Vec<Document> = (0..150_i64)
        .map(|number| {
            let status = if number % 3 == 0 { "blocked" } else { "open" };
            let each = format!("v{number:03}");
            let fields = [("status", status.into()), ("each", each.as_str().into())];
            let mut fields = fields.to_vec();
            fields.push(("number", number.into()));
            document(&format!("d{number:03}"), "", &fields)
        })
        .collect();
    replace(index, vec![source("one", documents)]).await;
    let facets = vec![name("status"), name("each"), name("number"), name("nothing")];
    let query = IndexQuery { facets: facets.clone(), limit: 1, ..everything() };
    let page = ask(index, &query).await;
    let fields: Vec<_> = page.facets.iter().map(|facet| facet.field.clone()).collect();
    assert_eq!(fields, facets);
    let count = |value: &str, count| FacetValue { value: value.to_owned(), count };
    assert_eq!(page.facets[0].values, [count("open", 100), count("blocked", 50)]);
    assert_eq!(page.facets[1].values.len(), INDEX_FACET_VALUES_MAX);
    assert_eq!((page.facets[1].values[0].clone(), page.facets[1].more), (count("v000", 1), 50));
    assert!(page.facets[2].values.is_empty(), "numbers are not counted");
    let filter = Filter::Less(name("number"), 4);
    let page = ask(index, &IndexQuery { filter, ..query }).await;
    assert_eq!(page.facets[0].values, [count("blocked", 2), count("open", 2)]);
}

async fn the_version_changes_with_every_change(index: &impl Index) {
    let mut versions = vec![ask(index, &everything()).await.version];
    let note = async |versions: &mut Vec<_>| versions.push(ask(index, &everything()).await.version);
    replace(index, vec![source("one", Vec::new())]).await;
    note(&mut versions).await;
    replace(index, vec![source("one", Vec::new())]).await;
    note(&mut versions).await;
    index.remove(&name("runs"), vec!["one".to_owned()]).await.expect("it is removed");
    note(&mut versions).await;
    assert!(versions.is_sorted_by(|one, next| one < next), "{versions:?}");
    index.remove(&name("runs"), vec!["one".to_owned()]).await.expect("it is gone");
    assert_eq!(ask(index, &everything()).await.version, versions[3], "nothing changed");
}

async fn calls_beyond_a_limit_are_refused(index: &impl Index) {
    let one = |document| vec![source("one", vec![document])];
    let long = "x".repeat(INDEX_FIELD_BYTES_MAX + 1);
    let fields: BTreeMap<IndexName, FieldValue> =
        (0..=INDEX_FIELDS_MAX).map(|number| (name(&format!("f{number}")), 1.into())).collect();
    let bad: Vec<Vec<IndexedSource>> = vec![
        one(document("", "", &[])),
        one(document(&"x".repeat(INDEX_NAME_BYTES_MAX + 1), "", &[])),
        one(document("a", &"x".repeat(INDEX_TEXT_BYTES_MAX + 1), &[])),
        one(document("a", "", &[("f", long.as_str().into())])),
        one(Document { fields, ..document("a", "", &[]) }),
        vec![source("", Vec::new())],
        vec![source("one", Vec::new()), source("one", Vec::new())],
        vec![source("one", vec![document("a", "", &[]), document("a", "", &[])])],
        vec![source("one", vec![document("a", "", &[]); INDEX_DOCUMENTS_MAX + 1])],
        (0..=INDEX_BATCH_MAX).map(|number| source(&format!("s{number}"), Vec::new())).collect(),
    ];
    for sources in bad {
        let refused = index.replace(&runs(), sources).await;
        let is_refused = matches!(refused, Err(Error::TooLarge { .. } | Error::BadRequest { .. }));
        assert!(is_refused, "{refused:?}");
    }
    assert_eq!(matching(index, Filter::everything()).await, [""; 0]);
    let mut deep = Filter::everything();
    for _ in 0..=INDEX_FILTER_DEPTH_MAX {
        deep = Filter::Not(Box::new(deep));
    }
    for query in [
        IndexQuery { limit: INDEX_HITS_MAX + 1, ..everything() },
        IndexQuery { facets: vec![name("f"); INDEX_FACETS_MAX + 1], ..everything() },
        IndexQuery { filter: deep, ..everything() },
        IndexQuery { filter: Filter::StartsWith(name("f"), long), ..everything() },
    ] {
        assert!(index.query(&query).await.is_err(), "{query:?}");
    }
    assert!(index.cursors(&runs(), None, 0).await.is_err());
    assert!(index.scan(&runs(), None, INDEX_PAGE_MAX + 1).await.is_err());
}

/// Adapters may answer a query with many matches in another way than one with few.
async fn many_documents_are_answered_like_few(index: &impl Index) {
    let count = i64::try_from(INDEX_FEW_MATCHES).expect("a small number") + 500;
    let documents = (0..count).map(|number| {
        let status = ["open", "blocked"][usize::from(number % 4 == 0)];
        let fields = [("status", status.into()), ("half", (number / 2).into())];
        // Every tenth has no such field.
        let fields = if number % 10 == 0 { &fields[..1] } else { &fields[..] };
        document(&format!("d{number:05}"), "a word", fields)
    });
    replace(index, vec![source("one", documents.collect())]).await;
    let order = Some(Order { field: name("half"), is_descending: true });
    let query =
        IndexQuery { order, filter: has("word"), facets: vec![name("status")], ..everything() };
    let page = ask(index, &query).await;
    let total = u64::try_from(count).expect("a count");
    assert_eq!(page.total, total);
    let counts: Vec<u64> = page.facets[0].values.iter().map(|one| one.count).collect();
    assert_eq!(counts, [total - total.div_ceil(4), total.div_ceil(4)]);
    // By halves from the last, two of a half by name, and those without a half at the end.
    let mut expected: Vec<i64> = (0..count).collect();
    expected.sort_by_key(|number| (number % 10 == 0, -(number / 2) * i64::from(number % 10 != 0)));
    let mut found = Vec::new();
    for from in (0..total).step_by(INDEX_HITS_MAX) {
        found.extend(ask(index, &IndexQuery { from, ..query.clone() }).await.hits);
    }
    let found: Vec<String> = found.into_iter().map(|hit| hit.id).collect();
    let expected: Vec<String> = expected.iter().map(|number| format!("d{number:05}")).collect();
    assert_eq!(found, expected);
    // One value that most documents share is in the order of names.
    let order = Some(Order { field: name("status"), is_descending: true });
    let page = ask(index, &IndexQuery { order, from: 3, limit: 3, ..everything() }).await;
    assert_eq!(ids(&page), ["d00005", "d00006", "d00007"]);
}
