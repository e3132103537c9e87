import Graph
import ModelFormat

extension GraphModel.Feature {
  /// Reads a feature from a model's description. Images become `[1, C, H, W]`.
  ///
  /// - Parameter held: The type in which the graph stores the elements.
  package init(_ description: Spec.FeatureDescription, held: ElementType = .float32) {
    self.init(description.name, .float32, nil, held: held, summary: description.shortDescription)
    isOptional = description.type?.isOptional ?? false
    switch description.type?.type {
    case .imageType(let image)?: read(image)
    case .multiArrayType(let array)?: read(array)
    case .int64Type?: (element, extents) = (.int32, [1])
    case .doubleType?: extents = [1]
    case .stateType(let state)?:
      if case .arrayType(let array)? = state.type { read(array) }
    default: break
    }
  }

  private static func extent(_ value: Int64) -> Int { Int(clamping: max(0, min(value, 1 << 31))) }

  private static func extent(_ range: Spec.SizeRange?) -> Extent {
    let lower = max(1, Int(clamping: min(range?.lowerBound ?? 1, 1 << 31)))
    let upper: Int64 = range?.upperBound ?? -1
    return Extent(from: lower, to: upper < 0 ? nil : max(lower, extent(upper)))
  }

  private mutating func read(_ image: Spec.ImageFeatureType) {
    let order: Graph.ImagePort.ColorOrder
    switch image.colorSpace {
    case .grayscale, .grayscaleFloat16: order = .gray
    case .bgr: order = .bgr
    default: order = .rgb
    }
    let port = Graph.ImagePort(order)
    self.image = port
    element = image.colorSpace == .grayscaleFloat16 ? .float16 : .uint8
    let size: [Int] = [1, port.channels, Self.extent(image.height), Self.extent(image.width)]
    switch image.sizeFlexibility {
    case nil: extents = size.map { Extent($0) }
    case .enumeratedSizes(let sizes)?:
      choices = sizes.sizes.map {
        [1, port.channels, Int(clamping: $0.height), Int(clamping: $0.width)]
      }
      state(choices, usual: size)
    case .imageSizeRange(let range)?:
      extents = [
        1, Extent(port.channels), Self.extent(range.heightRange), Self.extent(range.widthRange),
      ]
      usual = size
    }
  }

  private mutating func read(_ array: Spec.ArrayFeatureType) {
    switch array.dataType {
    case .double: element = .float64
    case .int32: element = .int32
    case .int8: element = .int8
    case .float16: element = .float16
    default: element = .float32
    }
    let declared: [Int] = array.shape.map(Self.extent)
    switch array.shapeFlexibility {
    case nil: extents = declared.map { Extent($0) }
    case .enumeratedShapes(let shapes)?:
      choices = shapes.shapes.map { $0.shape.map(Self.extent) }
      state(choices, usual: declared.isEmpty ? choices.first ?? [] : declared)
    case .shapeRange(let range)?:
      extents = range.sizeRanges.map { Self.extent($0) }
      usual = declared.isEmpty ? nil : declared
    }
  }

  /// Sets the range of extents of each axis. The range of an axis includes the extents of all choices.
  private mutating func state(_ choices: [[Int]], usual: [Int]) {
    let all: [[Int]] = (choices + [usual]).filter { $0.count == usual.count }
    extents = usual.indices.map { axis in
      let sizes: [Int] = all.map { $0[axis] }
      let (lower, upper) = (sizes.min() ?? 1, sizes.max() ?? 1)
      return lower == upper ? Extent(lower) : Extent(from: lower, to: upper)
    }
    self.usual = usual
    self.choices = all
  }
}

extension GraphModel.Metadata {
  /// Reads the metadata of a model: author, licence, description, version and the author's own entries.
  package init(_ message: Spec.Metadata) {
    self.init()
    summary = message.shortDescription
    author = message.author
    license = message.license
    version = message.versionString
    other = message.userDefined
  }
}
