import Foundation

/// What a training left in its folder for the card: the settings and the last losses.
public struct TrainingRecord: Sendable, Equatable {
  /// How it was trained.
  public var settings: [String: CardValue] = [:]
  /// The losses at its end.
  public var losses: [String: Double] = [:]

  /// Reads `settings.json` (an object; what lies deeper gets dotted names) and the last row of
  /// `losses.csv`. What is missing stays empty.
  public init(folder: URL) throws {
    let settings: URL = folder.appendingPathComponent("settings.json")
    if let data = try? Data(contentsOf: settings) {
      guard let object = try? JSONDecoder().decode([String: Nested].self, from: data) else {
        throw StyleTransferError(.file, "The settings '\(settings.path)' are no JSON object.")
      }
      for (key, value) in object { value.flatten(key, into: &self.settings) }
    }
    let losses: URL = folder.appendingPathComponent("losses.csv")
    if let text = try? String(contentsOf: losses, encoding: .utf8) {
      self.losses = Self.lastRow(text)
    }
  }

  /// The last row of a table with a heading, without what is no number.
  static func lastRow(_ text: String) -> [String: Double] {
    let rows: [[String]] = text.split(whereSeparator: \.isNewline).map { line in
      line.split(separator: ",", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    guard let heading = rows.first, rows.count > 1, let last = rows.last else { return [:] }
    var result: [String: Double] = [:]
    for (name, cell) in zip(heading, last) { result[name] = Double(cell) }
    return result
  }

  private enum Nested: Decodable {
    case value(CardValue)
    case object([String: Nested])
    case nothing

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .nothing
      } else if let value = try? container.decode(CardValue.self) {
        self = .value(value)
      } else {
        self = (try? .object(container.decode([String: Nested].self))) ?? .nothing
      }
    }

    func flatten(_ name: String, into settings: inout [String: CardValue]) {
      switch self {
      case .value(let value): settings[name] = value
      case .object(let members):
        for (key, member) in members { member.flatten("\(name).\(key)", into: &settings) }
      case .nothing: break
      }
    }
  }
}
