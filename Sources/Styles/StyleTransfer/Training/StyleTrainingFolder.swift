import Files
import Foundation
import Imaging
import ModelFormat

/// The folder with the files of a training: its checkpoint, its settings, its losses as a table and a plot, and its
/// snapshots.
public struct StyleTrainingFolder: Sendable {
  /// The folder.
  public let url: URL

  /// Refers to a folder, which is created when the first file is written.
  public init(_ url: URL) { self.url = url }

  /// Refers to the folder of a model's training: `great-wave.training` beside `great-wave.mlmodel`.
  public init(of model: URL) {
    url = model.deletingPathExtension().appendingPathExtension("training")
  }

  /// The file of the checkpoint.
  public var checkpoint: URL { url.appendingPathComponent("checkpoint") }
  /// The file of the training's settings.
  public var settings: URL { url.appendingPathComponent("settings.json") }
  /// The file of the losses as a table with one row per step.
  public var losses: URL { url.appendingPathComponent("losses.csv") }
  /// The file of the losses as a plot.
  public var curve: URL { url.appendingPathComponent("losses.svg") }

  /// Returns the location of the model of the snapshot after a step.
  public func snapshotModel(_ iteration: Int) -> URL { snapshot(iteration, "mlmodel") }
  /// Returns the location of the painted validation photo of the snapshot after a step.
  public func snapshotPicture(_ iteration: Int) -> URL { snapshot(iteration, "png") }

  private func snapshot(_ iteration: Int, _ ending: String) -> URL {
    let digits: String = String(iteration)
    let number: String = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    return url.appendingPathComponent("snapshot-\(number).\(ending)")
  }

  func make() throws {
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw StyleTransferError(
        .file,
        "The training's folder '\(url.path)' cannot be made. Choose another output.")
    }
  }

  /// Whether the folder contains files of a training that a new one would overwrite.
  public var holdsTraining: Bool { !traces.isEmpty }

  /// The files of a training in the folder.
  private var traces: [URL] {
    let names: [String] = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let fixed: Set<String> = Set([checkpoint, settings, losses, curve].map(\.lastPathComponent))
    return names.filter { name in
      fixed.contains(name)
        || name.hasPrefix("snapshot-") && (name.hasSuffix(".mlmodel") || name.hasSuffix(".png"))
    }.map { url.appendingPathComponent($0) }
  }

  /// Removes the files of a training. Other files stay.
  func clear() throws {
    for file in traces {
      do {
        try FileManager.default.removeItem(at: file)
      } catch {
        throw StyleTransferError(
          .file, "'\(file.path)' of an earlier training cannot be removed. Choose another output.")
      }
    }
  }

  /// Creates the folder if it is missing, and locks it.
  func lock() throws -> FolderLock {
    try make()
    do {
      return try FolderLock(url.path)
    } catch is FolderLock.Taken {
      throw StyleTransferError(
        .file,
        "Another training uses '\(url.path)' now. Wait until it ends, or choose another output."
      )
    } catch let error as FileError {
      throw StyleTransferError(
        .file,
        "The training's folder '\(url.path)' cannot be locked: \(error.reason). Choose another output."
      )
    }
  }

  /// Reads the rows of the table of losses up to a step. Skips incomplete rows.
  public func readLosses(upTo iteration: Int = .max) -> [StyleLosses] {
    guard let text = try? String(contentsOf: losses, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").dropFirst().compactMap { StyleLosses(row: $0) }
      .filter { $0.iteration <= iteration }
  }

  /// Writes the settings as JSON, for people and for the gallery's descriptions.
  func write(_ settings: StyleTrainingSettings, initialName: String?) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let record = Record(settings: settings, initial: initialName)
    try TrainingFile.write(try encoder.encode(record) + Data("\n".utf8), to: self.settings)
  }

  /// The settings with the name of the initial network.
  private struct Record: Encodable {
    let settings: StyleTrainingSettings
    let initial: String?

    enum Key: CodingKey {
      case initial
    }

    func encode(to encoder: any Encoder) throws {
      try settings.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(initial, forKey: .initial)
    }
  }

  /// Writes the losses as a table and as a plot.
  func write(_ rows: [StyleLosses], title: String) throws {
    let table: String = ([StyleLosses.columns] + rows.map(\.row)).joined(separator: "\n") + "\n"
    try TrainingFile.write(Data(table.utf8), to: losses)
    try TrainingFile.write(Data(LossCurve(rows, title: title).svg.utf8), to: curve)
  }
}
