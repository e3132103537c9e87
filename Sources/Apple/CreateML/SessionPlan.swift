import Files
import Foundation
import ModelTools
import Platform
import StyleTransfer

/// What a style's session trains with what, and its folder: what is needed to find it again.
struct SessionPlan: Sendable {
  /// What is written into the folder.
  struct Record: Codable, Sendable {
    var styleImage: URL
    var contentDirectory: URL
    var processingOption: UInt?
    var settings: StyleTrainingSettings
    var validation: URL?
    var date: Date
  }

  let record: Record
  let folder: StyleTrainingFolder
  /// The file of the network that losses are measured with; tests have a smaller one.
  var features: URL = FetchableModel.vgg16.file()

  private static let fileName = "session.json"

  /// A new plan; its record is written.
  init(_ record: Record, directory: URL?) throws {
    self.record = record
    folder = StyleTrainingFolder(
      directory
        ?? FileManager.default.temporaryDirectory.appendingPathComponent(
          "createml-\(UUID().uuidString)", isDirectory: true))
    do {
      try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
      try WholeFile.write(
        JSONEncoder().encode(record), to: folder.url.appendingPathComponent(Self.fileName).path)
    } catch {
      throw MLCreateError.io(
        reason:
          "The session's folder '\(folder.url.path)' cannot be written: \(ErrorSentence.reason(of: error))."
      )
    }
  }

  /// The plan in a folder; nil where there is none.
  init?(in directory: URL) throws {
    let file: URL = directory.appendingPathComponent(Self.fileName)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      record = try JSONDecoder().decode(Record.self, from: Data(contentsOf: file))
    } catch {
      throw MLCreateError.io(
        reason: "'\(file.path)' is no session of Create ML: \(ErrorSentence.reason(of: error)).")
    }
    folder = StyleTrainingFolder(directory)
  }

  /// How many steps were taken, by the folder's checkpoint.
  var iteration: Int {
    (try? StyleTraining.checkpoint(in: folder))?.flatMap { $0.iteration } ?? 0
  }

  /// The models on the way that are in the folder.
  func checkpoints() -> [MLCheckpoint] {
    let rows: [StyleLosses] = folder.readLosses()
    return rows.compactMap { row -> MLCheckpoint? in
      let file: URL = folder.snapshotModel(row.iteration)
      guard
        let date = try? file.resourceValues(forKeys: [.contentModificationDateKey])
          .contentModificationDate
      else { return nil }
      return checkpoint(row, date: date)
    }
  }

  /// The checkpoint of a step.
  func checkpoint(_ row: StyleLosses, date: Date) -> MLCheckpoint {
    MLCheckpoint(
      url: folder.snapshotModel(row.iteration), phase: .training, iteration: row.iteration,
      date: date, metrics: metrics(row))
  }

  /// What a step measured.
  func metrics(_ row: StyleLosses) -> [MLProgress.Metric: Any] {
    var metrics: [MLProgress.Metric: Any] = [
      .loss: row.total, .styleLoss: row.style, .contentLoss: row.content,
    ]
    let picture: URL = folder.snapshotPicture(row.iteration)
    if FileManager.default.fileExists(atPath: picture.path) {
      metrics[.stylizedImageURL] = picture
    }
    return metrics
  }
}
