import Foundation
import Mutants
import Tensors

/// The input of one trial: a mutant of a model, or a damaged image. The case depends only on the reader, its number and
/// the seed of the run.
struct FuzzCase {
  /// The label for statistics.
  let kind: String
  private let content: Content

  private enum Content {
    case model(Mutant)
    case picture([UInt8])
  }

  init(of reader: FuzzedReader, number: Int, seed: UInt64) {
    guard reader == .pictures else {
      let mutant = Mutant(of: reader, number: number, seed: seed)
      (kind, content) = (mutant.kind, .model(mutant))
      return
    }
    var generator = SplitMix64(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let pictures = PictureSeed.all
    let picture = pictures[number % pictures.count]
    kind = picture.kind
    // In the first cycle, the files stay intact, which verifies that they can be read.
    content = .picture(
      number < pictures.count ? picture.bytes : picture.mutant(using: &generator))
  }

  func run() async -> (Verdict, String) {
    switch content {
    case .model(let mutant):
      switch mutant.content {
      case .model(let bytes, let numbers): await Trial.model(bytes, numbers)
      case .file(let seed): await Trial.file(seed)
      }
    case .picture(let bytes): Trial.picture(bytes)
    }
  }

  /// Stores the files of the case for inspection.
  ///
  /// - Returns: the path of the stored file or folder.
  func store(in folder: URL, as name: String) throws -> String {
    switch content {
    case .model(let mutant): return try mutant.store(in: folder, as: name)
    case .picture(let bytes):
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path: URL = folder.appendingPathComponent("\(name).\(kind)")
      try Data(bytes).write(to: path)
      return path.path
    }
  }
}
