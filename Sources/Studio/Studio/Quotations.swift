import Foundation

/// Quotations in the public domain, chosen by what a picture shows.
struct Quotations: Sendable {
  /// Words of somebody's, with where they stand.
  struct Quotation: Codable, Sendable {
    /// What a picture may show for these words to fit; none where they fit every picture.
    let keywords: [String]
    let text: String
    let author: String
    let source: String
  }

  /// All of them.
  let all: [Quotation]

  /// Reads the program's list.
  init(_ pages: Pages) {
    let data = pages.bytes("quotations.json").map { Data($0) } ?? Data()
    all = (try? JSONDecoder().decode([Quotation].self, from: data)) ?? []
  }

  /// The quotations that fit, the best first: those of the likeliest label, then of the next; those that
  /// fit every picture come last, in an order that the first label decides.
  func fitting(_ labels: [(label: String, probability: Double)]) -> [Quotation] {
    var found: [(place: Int, score: Double)] = []
    for (place, quotation) in all.enumerated() where !quotation.keywords.isEmpty {
      let keywords = Set(quotation.keywords)
      // A label that is unlikely says little, whatever fits it.
      let score = labels.reduce(0) { sum, guess in
        let words = Self.words(guess.label)
        let hits = words.enumerated().reduce(0.0) { hit, word in
          // The last word of a label is the thing, those before say which: “tiger cat”.
          guard keywords.contains(word.element) else { return hit }
          return hit + (word.offset == words.count - 1 ? 1 : 0.5)
        }
        return sum + min(hits, 1.5) * guess.probability
      }
      if score > 0.02 { found.append((place, score)) }
    }
    let special = found.sorted { ($1.score, $0.place) < ($0.score, $1.place) }.map { all[$0.place] }
    let general = all.filter(\.keywords.isEmpty)
    guard !general.isEmpty else { return special }
    let first = labels.first?.label.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } ?? 0
    return special + (0..<general.count).map { general[($0 + first) % general.count] }
  }

  /// The words of a label in small letters; of several names for one thing, the first.
  static func words(_ label: String) -> [String] {
    let first = label.split(separator: ",").first.map(String.init) ?? label
    return first.lowercased().split { !$0.isLetter && $0 != "-" }.map(String.init)
  }
}
