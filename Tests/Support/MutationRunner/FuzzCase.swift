import Foundation
import Mutants

/// What one trial is made with: a model's mutant or a damaged picture, by its number and the seed alone.
struct FuzzCase {
  /// What it is counted under.
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
    var generator = SplitMix(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let pictures = PictureSeed.all
    let picture = pictures[number % pictures.count]
    kind = picture.kind
    // Those of the first round are whole, to see that they are read.
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

  /// Keeps the files, to be looked at.
  ///
  /// - Returns: the path of what was kept.
  func keep(in folder: URL, as name: String) throws -> String {
    switch content {
    case .model(let mutant): return try mutant.keep(in: folder, as: name)
    case .picture(let bytes):
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path: URL = folder.appendingPathComponent("\(name).\(kind)")
      try Data(bytes).write(to: path)
      return path.path
    }
  }
}
