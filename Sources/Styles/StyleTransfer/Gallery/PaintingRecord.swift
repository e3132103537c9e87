import Foundation

/// A line of `Gallery/paintings.tsv`: a painting, for a style of the gallery.
///
/// Tabs separate the columns: the style's name, the file, the title, the painter, the year, the collection, then
/// columns for the training script. Lines that start with `#` are skipped.
public struct PaintingRecord: Sendable, Equatable {
  /// The style's name.
  public let name: String
  /// The name of the painting's file in ``collection``.
  public let file: String
  /// The title of the painting.
  public let title: String
  /// The painter.
  public let painter: String
  /// The year of the painting.
  public let year: String
  /// The collection that publishes the file.
  public let collection: String

  /// Parses a table.
  public static func table(_ text: String, name: String = "paintings.tsv") throws
    -> [PaintingRecord]
  {
    try text.split(separator: "\n").enumerated().compactMap { number, line in
      guard !line.hasPrefix("#") else { return nil }
      let columns: [String] = line.split(separator: "\t", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard columns.count >= 6 else {
        throw StyleTransferError(
          .file,
          "Table '\(name)', line \(number + 1): \(columns.count) columns, expected at least 6"
            + " with tabs between them.")
      }
      return PaintingRecord(
        name: columns[0], file: columns[1], title: columns[2], painter: columns[3],
        year: columns[4], collection: columns[5])
    }
  }
}
