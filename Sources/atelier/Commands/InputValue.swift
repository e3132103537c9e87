import Arguments
import CoreGraphics
import CoreML
import CoreVideo
import Foundation
import Imaging

/// Makes the value of a model's input from a word of the command line.
enum InputValue {
  /// Splits words of the form `name=value` at the first equals sign.
  static func split(_ words: [String]) throws -> [(name: String, text: String)] {
    try words.map { word in
      guard let mark = word.firstIndex(of: "="), mark > word.startIndex else {
        throw UsageError("--input is '\(word)', expected name=value.")
      }
      return (String(word[..<mark]), String(word[word.index(after: mark)...]))
    }
  }

  /// Makes the value that the description asks for.
  ///
  /// For a picture, the text is a file's path. For an array, the text is JSON, `1,2,3`, or the path of a `.json` or
  /// `.npy` file. For a dictionary, the text is JSON or the path of a `.json` file.
  ///
  /// - Parameter source: Where the text is from, for error messages. Nil if the text is the value of an `--input`
  ///   option for the feature.
  static func make(
    _ text: String, _ description: MLFeatureDescription, cropAndScale: CropAndScale,
    source: String? = nil
  ) throws -> MLFeatureValue {
    func expected(_ what: String) -> UsageError {
      UsageError("\(source ?? "--input \(description.name)") is '\(text)', expected \(what).")
    }
    switch description.type {
    case .image:
      guard let constraint = description.imageConstraint else { throw expected("a picture") }
      return try picture(
        Picture(contentsOfFile: text), width: constraint.pixelsWide, height: constraint.pixelsHigh,
        constraint: constraint, cropAndScale: cropAndScale)
    case .int64:
      guard let number = Int64(text) else { throw expected("an integer") }
      return MLFeatureValue(int64: number)
    case .double:
      guard let number = Double(text) else { throw expected("a number") }
      return MLFeatureValue(double: number)
    case .string: return MLFeatureValue(string: text)
    case .multiArray:
      let declared: [Int] = description.multiArrayConstraint?.shape.map(\.intValue) ?? []
      guard let numbers = try NumberBlock(text, declared: declared) else {
        throw expected("numbers as JSON, 1,2,3, or a .json or .npy file")
      }
      do {
        return MLFeatureValue(
          multiArray: try numbers.multiArray(
            type: description.multiArrayConstraint?.dataType ?? .float32))
      } catch let error as MLModelError where error.code == .featureType {
        throw CommandError("\(source ?? "--input \(description.name)"): \(error)")
      }
    case .dictionary:
      let data: Data = try NumberBlock.contents(text, extension: "json") ?? Data(text.utf8)
      guard let numbers = try? JSONDecoder().decode([String: Double].self, from: data) else {
        throw expected("a JSON object of numbers, or a .json file")
      }
      return try MLFeatureValue(dictionary: numbers.mapValues { NSNumber(value: $0) })
    default: throw expected("an input of a type that can be given on a command line")
    }
  }

  /// Warns on standard error if scaling changes a picture's proportions. The warning names the option that preserves
  /// the proportions.
  static func warnIfSqueezed(_ file: String, _ description: MLFeatureDescription) {
    guard description.type == .image, let constraint = description.imageConstraint,
      let size = try? Picture.probe(file)
    else { return }
    let (wide, high) = (constraint.pixelsWide, constraint.pixelsHigh)
    // Rounding can change a side by one pixel, so such a difference is not a change of proportions.
    let height: Double = Double(wide) * Double(size.height) / Double(max(size.width, 1))
    guard abs(height - Double(high)) > 1 else { return }
    Output.note(
      "'\(file)' has \(size.width) × \(size.height) pixels and is squeezed into \(wide) × \(high); --crop-and-scale"
        + " centerCrop or scaleFit keeps its proportions.")
  }

  /// Scales a picture to the given size and converts it to the pixel format that the model expects.
  static func picture(
    _ picture: Picture, width: Int, height: Int, constraint: MLImageConstraint,
    cropAndScale: CropAndScale
  ) throws -> MLFeatureValue {
    MLFeatureValue(
      pixelBuffer: try picture.pixelBuffer(
        format: constraint.pixelFormatType, fittedToWidth: width, height: height,
        mode: cropAndScale))
  }
}

extension ParsedArguments {
  /// Returns the value of `--crop-and-scale`, or nil if the option is not given.
  func cropAndScale() throws -> CropAndScale? {
    let modes: [CropAndScale] = CropAndScale.allCases
    return try choice("crop-and-scale", of: modes.map(\.rawValue)).flatMap(CropAndScale.init)
  }
}

extension CropAndScale {
  /// Returns the declaration of the option. `help` names the default, because commands have different defaults.
  static func option(_ help: String) -> CommandSyntax.Option {
    CommandSyntax.Option(
      "crop-and-scale", value: "MODE", choices: CropAndScale.allCases.map(\.rawValue),
      help: help + "\n"
        + "One of centerCrop, scaleFit, scaleFill, scaleFitRotate90CCW,\nscaleFillRotate90CCW.")
  }
}
