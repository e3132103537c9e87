import Graph
import ModelFormat

/// Damages small models. Most of each model stays valid.
struct SeedMutator {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// Returns a damaged copy of a seed, with changes in its declared inputs, its fields or its names.
  mutating func mutate(_ seed: ModelSeed) -> [UInt8] {
    var model: Spec.Model = seed.model
    let kind = Int.random(in: 0..<10, using: &generator)
    if kind < 4 { mutateInputs(of: &model) }
    let bytes: [UInt8] = model.serialized()
    guard kind > 1, var tree = WireTree(bytes[...]) else { return bytes }
    if kind == 9 { tree.exchangeNames(using: &generator) }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      tree.damage(Int.random(in: 0..<max(1, tree.count), using: &generator), using: &generator)
    }
    return tree.bytes
  }

  /// Replaces one or two values of some inputs. Many of the new values are invalid as shapes, indices or counts.
  mutating func mutateValues(_ values: [String: [Double]]) -> [String: [Double]] {
    let others: [Double] = [
      0, 1, -1, 2, 3, 0.5, -7, 100, 65_536, 1e6, 1e9, 2_147_483_648, 1e18, 1e30, -1e30, .nan,
      .infinity, -.infinity,
    ]
    var result: [String: [Double]] = values
    for name in values.keys.sorted() where Int.random(in: 0..<3, using: &generator) == 0 {
      guard let count = values[name]?.count, count > 0 else { continue }
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let position = Int.random(in: 0..<count, using: &generator)
        result[name]?[position] = others.randomElement(using: &generator) ?? 0
      }
    }
    return result
  }

  /// Changes one input: the extents, the rank, the order of the axes or the element type of an array, or the size of an
  /// image. Or it adds flexible shapes to an array, which may exclude the declared shape. Sometimes also makes a
  /// required input optional, or an optional input required.
  private mutating func mutateInputs(of model: inout Spec.Model) {
    guard var inputs = model.description?.input, !inputs.isEmpty else { return }
    let position = Int.random(in: inputs.indices, using: &generator)
    switch inputs[position].type?.type {
    case .multiArrayType(var array)?:
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: array.shapeFlexibility = .shapeRange(range(around: array.shape))
      case 1: array.shapeFlexibility = .enumeratedShapes(shapes(around: array.shape))
      case 2:
        array.dataType =
          [.double, .int32, .float16, .int8].randomElement(using: &generator)
          ?? .double
      default: array.shape = extents(like: array.shape)
      }
      inputs[position].type?.type = .multiArrayType(array)
    case .imageType(var image)?:
      let sides: [Int64] = extents(like: [image.width, image.height])
      if sides.count == 2 { (image.width, image.height) = (sides[0], sides[1]) }
      inputs[position].type?.type = .imageType(image)
    default: break
    }
    if Int.random(in: 0..<16, using: &generator) == 0 { inputs[position].type?.isOptional.toggle() }
    model.description?.input = inputs
  }

  private mutating func extents(like extents: [Int64]) -> [Int64] {
    var result: [Int64] = extents
    let position = Int.random(in: 0..<max(1, result.count), using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: if !result.isEmpty { result.remove(at: position) }
    case 1: result.insert(Int64.random(in: 1...3, using: &generator), at: position)
    case 2: result.shuffle(using: &generator)
    case 3: if !result.isEmpty { result[position] = result[position] &* 2 }
    default:
      let others: [Int64] = [
        0, 1, 2, 3, 5, 7, 16, 31, 100, 1000, 65_536, -1, -2, 1 << 31, (1 << 31) - 1, 1 << 32,
        1 << 40, .max, .min,
      ]
      if !result.isEmpty { result[position] = others.randomElement(using: &generator) ?? 1 }
    }
    return result
  }

  private mutating func range(around shape: [Int64]) -> Spec.ArrayFeatureType.ShapeRange {
    var range = Spec.ArrayFeatureType.ShapeRange()
    range.sizeRanges = shape.map { extent in
      var side = Spec.SizeRange()
      side.lowerBound = [0, 1, 1, 2, 1 << 40, .max].randomElement(using: &generator) ?? 1
      let ends: [Int64] = [-1, -1, extent, extent &* 2, 0, .max]
      side.upperBound = ends.randomElement(using: &generator) ?? -1
      return side
    }
    return range
  }

  private mutating func shapes(around shape: [Int64]) -> Spec.ArrayFeatureType.EnumeratedShapes {
    var list = Spec.ArrayFeatureType.EnumeratedShapes()
    list.shapes = (0..<3).map { _ in
      var other = Spec.ArrayFeatureType.Shape()
      other.shape = extents(like: shape)
      return other
    }
    return list
  }
}
