import CoreML
import Files
import Foundation
import Imaging
import ModelTools

/// The files that `atelier predict --also` writes: an array and a sheet of pictures for each layer.
final class LayerFiles {
  private let folder: URL
  private var taken: Set<String> = []

  /// Makes the folder where it is missing.
  init(_ folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes what a layer gives; returns the files' paths and the array's shape.
  ///
  /// - Parameter name: The files' name without its ending; one that is taken gets a number.
  func write(_ array: MLMultiArray, name: String) throws -> (
    array: String, shape: [Int], picture: String?
  ) {
    var free: String = name
    var number: Int = 2
    while !taken.insert(free.lowercased()).inserted {
      free = "\(name)-\(number)"
      number += 1
    }
    let block = NumberBlock(array)
    let numbers: URL = folder.appendingPathComponent("\(free).npy")
    let data: Data = NumPyFile.data(block)
    try Interruption.protected { try WholeFile.write(data, to: numbers.path) }
    var path: String?
    if let sheet = ActivationSheet(shape: block.shape, values: block.values.map { Float($0) }) {
      let picture: URL = folder.appendingPathComponent("\(free).png")
      let data: Data = try sheet.picture().encoded(as: .png)
      try Interruption.protected { try Picture.writeAtomically(data, toFile: picture.path) }
      path = picture.path
    }
    return (numbers.path, block.shape, path)
  }
}
