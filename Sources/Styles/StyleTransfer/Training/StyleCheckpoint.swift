import Files
import Foundation
import ModelFormat
import ModelTools
import Training

/// All that a training needs to go on as if it had never stopped.
///
/// A file is one line of text that names the form, the lengths and the digest of what follows; then
/// JSON; then the trainer's state. It appears complete or not at all.
struct StyleCheckpoint {
  /// What the training is.
  struct Header: Codable, Equatable {
    /// The settings.
    var settings: StyleTrainingSettings
    /// How many steps were taken.
    var iteration: Int
    /// The digest of the painting's file.
    var painting: String
    /// The digest of the list of content pictures.
    var contents: String
    /// When it was written.
    var date: Date
  }

  var header: Header
  var state: TrainerState

  /// A checkpoint of a training.
  init(header: Header, state: TrainerState) {
    self.header = header
    self.state = state
  }

  private static let form = "atelier-style-checkpoint-1"

  /// Writes the file.
  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let words: Data = try encoder.encode(header)
    var body = words
    body.append(contentsOf: state.bytes)
    var bytes = Data(
      "\(Self.form) \(words.count) \(body.count) \(SHA256.hexDigest(of: body))\n".utf8)
    bytes.append(body)
    try TrainingFile.write(bytes, to: file)
  }

  /// Reads a file; nil where there is none.
  init?(contentsOf file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    func damaged(_ reason: String) -> StyleTransferError {
      StyleTransferError(
        .file,
        "Checkpoint '\(file.path)' \(reason). Remove it and train from the start, or put an older"
          + " one in its place.")
    }
    guard let data = try? Data(contentsOf: file), let end = data.firstIndex(of: 0x0A) else {
      throw damaged("cannot be read")
    }
    let line = String(decoding: data[..<end], as: UTF8.self).split(separator: " ")
    guard line.count == 4, line[0] == Self.form, let words = Int(line[1]), let all = Int(line[2])
    else { throw damaged("is none, or one of another version") }
    let body = data[(end + 1)...]
    guard body.count == all, (0...all).contains(words), SHA256.hexDigest(of: body) == line[3] else {
      throw damaged("is damaged: its digest is another")
    }
    do {
      header = try JSONDecoder().decode(Header.self, from: body.prefix(words))
    } catch {
      throw damaged("says nothing that this version understands")
    }
    state = try TrainerState(bytes: [UInt8](body.dropFirst(words)))
  }
}

/// Files of a training that appear complete or not at all.
enum TrainingFile {
  /// Writes bytes as a draft that takes the file's place.
  static func write(_ bytes: Data, to file: URL) throws {
    do {
      try WholeFile.write(bytes, to: file.path)
    } catch let error as FileError {
      throw StyleTransferError(
        .file, "'\(file.path)' cannot be \(error.task): \(error.reason).")
    }
  }
}
