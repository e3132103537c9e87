import Foundation

/// Quotations in the public domain, chosen by the labels of a picture.
struct Quotations: Sendable {
  /// A quotation with its source.
  struct Quotation: Codable, Sendable {
    /// The words of labels that the quotation fits. Empty if the quotation fits every picture.
    let keywords: [String]
    let text: String
    let author: String
    let source: String
  }

  /// All quotations.
  let all: [Quotation]

  /// Reads the embedded list.
  init(_ pages: Pages) {
    let data = pages.bytes("quotations.json").map { Data($0) } ?? Data()
    all = (try? JSONDecoder().decode([Quotation].self, from: data)) ?? []
  }

  /// Returns the quotations that fit a picture's labels. The score of a quotation is a sum over the labels: the label's
  /// probability, times a weight for the label's words that are keywords of the quotation. The best score comes first,
  /// and very low scores are left out. Quotations that fit every picture come last, in an order that depends on the
  /// first label.
  func fitting(_ labels: [(label: String, probability: Double)]) -> [Quotation] {
    var found: [(position: Int, score: Double)] = []
    for (position, quotation) in all.enumerated() where !quotation.keywords.isEmpty {
      let keywords = Set(quotation.keywords)
      // An improbable label says little about the picture, so the hits of a label are multiplied by the label's
      // probability.
      let score = labels.reduce(0) { sum, guess in
        let words = Self.words(guess.label)
        let hits = words.enumerated().reduce(0.0) { hit, word in
          // The last word of a label is the noun, and the words before it are the noun's attributes, as in “tiger cat”.
          guard keywords.contains(word.element) else { return hit }
          return hit + (word.offset == words.count - 1 ? 1 : 0.5)
        }
        return sum + min(hits, 1.5) * guess.probability
      }
      if score > 0.02 { found.append((position, score)) }
    }
    let special = found.sorted { ($1.score, $0.position) < ($0.score, $1.position) }.map {
      all[$0.position]
    }
    let general = all.filter(\.keywords.isEmpty)
    guard !general.isEmpty else { return special }
    let first = labels.first?.label.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } ?? 0
    return special + (0..<general.count).map { general[($0 + first) % general.count] }
  }

  /// Returns the words of a label in lower case. If commas separate several names, it returns the words of the first
  /// name.
  static func words(_ label: String) -> [String] {
    let first = label.split(separator: ",").first.map(String.init) ?? label
    return first.lowercased().split { !$0.isLetter && $0 != "-" }.map(String.init)
  }
}
