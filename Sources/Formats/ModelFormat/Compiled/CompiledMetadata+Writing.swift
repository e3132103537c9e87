import Foundation

extension CompiledMetadata {
  /// Makes the metadata of an ML Program.
  ///
  /// - Parameter name: The model file's name without its extension.
  init(_ model: Spec.Model, program: Spec.MILSpec.Program, name: String) {
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    let metadata: Spec.Metadata = description.metadata ?? Spec.Metadata()
    func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }
    shortDescription = nonEmpty(metadata.shortDescription)
    author = nonEmpty(metadata.author)
    license = nonEmpty(metadata.license)
    version = nonEmpty(metadata.versionString)
    userDefinedMetadata = metadata.userDefined
    specificationVersion = model.specificationVersion
    generatedClassName = Self.className(name)
    availability = Self.availability(of: model.specificationVersion)
    let function: Spec.FunctionDescription = description.defaultFunction
    inputSchema = function.input.map(Feature.init)
    outputSchema = function.output.map(Feature.init)
    stateSchema = function.state.map(Feature.init)
    if !description.functions.isEmpty {
      functions = description.functions.map { Function($0, of: program) }
      defaultFunctionName = function.name
    }
    let statistics = ProgramStatistics(
      description.functions.isEmpty
        ? Array(program.functions.values)
        : program.functions[function.name].map { [$0] } ?? [])
    storagePrecision = statistics.storagePrecision
    computePrecision = statistics.computePrecision
    mlProgramOperationTypeHistogram = statistics.operations
  }

  /// Returns the content of the file `metadata.json`.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode([self])
  }

  /// Returns `name` with the changes that make it a valid name of a Swift class.
  private static func className(_ name: String) -> String {
    let letters = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return (letters.first?.isNumber == false ? "" : "_") + String(letters)
  }

  /// Returns, for each operating system, its first version that supports this version of the specification.
  private static func availability(of version: Int32) -> [String: String]? {
    func systems(_ mac: String, _ phone: String, _ watch: String, _ vision: String) -> [String:
      String]
    {
      [
        "macOS": mac, "iOS": phone, "tvOS": phone, "macCatalyst": phone, "watchOS": watch,
        "visionOS": vision,
      ]
    }
    return switch version {
    case 6: systems("12.0", "15.0", "8.0", "1.0")
    case 7: systems("13.0", "16.0", "9.0", "1.0")
    case 8: systems("14.0", "17.0", "10.0", "1.0")
    case 9: systems("15.0", "18.0", "11.0", "2.0")
    case 10: systems("26.0", "26.0", "26.0", "26.0")
    default: nil
    }
  }
}

extension Spec.ModelDescription {
  /// The description of the default function. If the model declares no functions, the model's inputs, outputs and
  /// states are those of the default function.
  var defaultFunction: Spec.FunctionDescription {
    if let first = functions.first {
      return functions.first { $0.name == defaultFunctionName } ?? first
    }
    return .making {
      $0.input = input
      $0.output = output
      $0.state = state
    }
  }
}

extension CompiledMetadata.Function {
  fileprivate init(_ description: Spec.FunctionDescription, of program: Spec.MILSpec.Program) {
    name = description.name
    inputSchema = description.input.map(CompiledMetadata.Feature.init)
    outputSchema = description.output.map(CompiledMetadata.Feature.init)
    stateSchema = description.state.map(CompiledMetadata.Feature.init)
    let statistics = ProgramStatistics(program.functions[description.name].map { [$0] } ?? [])
    computePrecision = statistics.computePrecision
    mlProgramOperationTypeHistogram = statistics.operations
  }
}

extension CompiledMetadata.Feature {
  fileprivate init(_ feature: Spec.FeatureDescription) {
    name = feature.name
    shortDescription = feature.shortDescription
    isOptional = feature.type?.isOptional == true ? "1" : "0"
    switch feature.type?.type {
    case .multiArrayType(let array)?:
      type = "MultiArray"
      set(array)
    case .stateType(let state)?:
      type = "State"
      if case .arrayType(let array)? = state.type { set(array) }
      hasShapeFlexibility = nil
    case .imageType(let image)?:
      type = "Image"
      set(image)
    case .dictionaryType(let dictionary)?:
      type = "Dictionary"
      if case .int64KeyType? = dictionary.keyType { keyType = "Int64" } else { keyType = "String" }
      formattedType = "Dictionary (\(keyType ?? "") → Double)"
    case .int64Type?: type = "Int64"
    case .doubleType?: type = "Double"
    case .stringType?: type = "String"
    case .sequenceType?: type = "Sequence"
    case nil: type = "Unknown"
    }
    formattedType = formattedType ?? type
  }

  private mutating func set(_ array: Spec.ArrayFeatureType) {
    let element = CompiledMetadata.arrayTypes.first { $0.type == array.dataType }?.name ?? "Unknown"
    dataType = element
    shape = "\(array.shape)"
    let extents: String = array.shape.map(String.init).joined(separator: " × ")
    formattedType = "\(type) (\(extents.isEmpty ? element : "\(element) \(extents)"))"
    hasShapeFlexibility = array.shapeFlexibility == nil ? "0" : "1"
    switch array.shapeFlexibility {
    case .shapeRange(let range)?:
      shapeRange = "\(range.sizeRanges.map(\.bounds))"
      shapeFlexibility = range.sizeRanges.map(\.text).joined(separator: " × ")
    case .enumeratedShapes(let shapes)?:
      enumeratedShapes = "\(shapes.shapes.map(\.shape))"
      shapeFlexibility = shapes.shapes.map { shape in
        shape.shape.map(String.init).joined(separator: " × ")
      }.joined(separator: " | ")
    case nil: break
    }
  }

  private mutating func set(_ image: Spec.ImageFeatureType) {
    let space = CompiledMetadata.colorSpaces.first { $0.space == image.colorSpace }?.name
    let hasColor: Bool = image.colorSpace == .rgb || image.colorSpace == .bgr
    (width, height) = (String(image.width), String(image.height))
    colorspace = space
    isColor = hasColor ? "1" : "0"
    formattedType = "Image (\(hasColor ? "Color" : "Grayscale") \(image.width) × \(image.height))"
    hasSizeFlexibility = image.sizeFlexibility == nil ? "0" : "1"
    switch image.sizeFlexibility {
    case .imageSizeRange(let range)?:
      let both: [Spec.SizeRange] = [range.widthRange, range.heightRange].map { $0 ?? .init() }
      sizeRange = "\(both.map(\.bounds))"
      sizeFlexibility = both.map(\.text).joined(separator: " × ")
    case .enumeratedSizes(let sizes)?:
      sizeFlexibility = sizes.sizes.map { "\($0.width) × \($0.height)" }.joined(separator: " | ")
    case nil: break
    }
  }
}

extension Spec.SizeRange {
  /// The lower and the upper bound. A negative upper bound means that there is no upper bound.
  fileprivate var bounds: [Int64] { [Int64(clamping: lowerBound), upperBound] }

  fileprivate var text: String {
    if upperBound < 0 { return "\(lowerBound)..." }
    return UInt64(upperBound) == lowerBound ? "\(lowerBound)" : "\(lowerBound)...\(upperBound)"
  }
}
