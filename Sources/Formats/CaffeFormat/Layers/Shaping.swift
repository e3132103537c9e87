import Graph
import Operators

extension CaffeLayerReader {
  /// Layers that reshape, crop, transpose or repeat values, and dropout, which leaves its input unchanged.
  static let shaping: [CaffeLayerReader] = [
    CaffeLayerReader("Flatten", "flatten", fields: KnownFields(["axis", "end_axis"])) {
      try $0.flatten()
    },
    CaffeLayerReader("Reshape", "reshape", fields: KnownFields(["shape", "axis", "num_axes"])) {
      try $0.reshape()
    },
    CaffeLayerReader("Permute", "permute", fields: KnownFields(["order"])) { try $0.permute() },
    CaffeLayerReader("Crop", "crop", fields: KnownFields(["axis", "offset"])) { try $0.crop() },
    CaffeLayerReader("Tile", "tile", fields: KnownFields(["axis", "tiles"])) { context in
      let parameters: CaffeMessage = context.layer.parameters("tile")
      let x = try context.input()
      let rank: Int = try context.rank(x)
      var times = [Int](repeating: 1, count: rank)
      let count: Int = try parameters.int("tiles", or: 1)
      guard (1...1 << 20).contains(count) else {
        throw context.invalid("'tiles' is \(count), expected 1 or more.")
      }
      times[try context.axis(parameters.int("axis", or: 1), rank: rank)] = count
      return try context.add(TileOperator(repetitions: times), x)
    },
    CaffeLayerReader("ShuffleChannel", "shuffle_channel", fields: KnownFields(["group"])) {
      context in
      let parameters: CaffeMessage = context.layer.parameters("shuffle_channel")
      let x = try context.input()
      let (count, groups) = (try context.channels(x), try parameters.int("group", or: 1))
      let extents: [Int?] = try context.extents(x)
      guard groups > 0, count % groups == 0, extents.count == 4, let height = extents[2],
        let width = extents[3]
      else {
        throw context.invalid(
          "\(count) channels in \(groups) groups cannot be exchanged, expected [N, C, H, W] of known size."
        )
      }
      let apart = try context.add(
        ReshapeStaticOperator(targetShape: [1, groups, count / groups, height * width]), x)
      let exchanged = try context.add(TransposeOperator(axes: [0, 2, 1, 3]), apart)
      return try context.add(
        ReshapeStaticOperator(targetShape: [1, count, height, width]), exchanged)
    },
    CaffeLayerReader(
      "Dropout", "dropout",
      fields: KnownFields(
        only: ["scale_train": [true], "sample_weights_test": [false]],
        harmless: ["dropout_ratio"])
    ) { try $0.input() },
  ]
}

extension CaffeContext {
  fileprivate func flatten() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("flatten")
    let x = try input()
    let rank: Int = try rank(x)
    let first: Int = try axis(parameters.int("axis", or: 1), rank: rank)
    let last: Int = try axis(parameters.int("end_axis", or: -1), rank: rank)
    guard first <= last else { throw invalid("'axis' \(first) comes after 'end_axis' \(last).") }
    if first == last { return x }
    if last == rank - 1 {
      return try add(
        ReshapeStaticOperator(targetShape: [Int](repeating: 0, count: first) + [-1]), x)
    }
    return try reshaped(x, replacing: first..<last + 1, by: [-1])
  }

  /// Reshapes a value: replaces the extents of the axes in `range` by `sizes`.
  private func reshaped(_ x: Graph.ValueID, replacing range: Range<Int>, by sizes: [Int]) throws
    -> Graph.ValueID
  {
    let extents: [Int?] = try extents(x)
    let after: [Int?] = Array(extents[range.upperBound...])
    let known: [Int] = after.compactMap { $0 }
    let trailing: [Int] = after.map { $0 ?? -1 }
    guard known.count == after.count || (after.count - known.count == 1 && !sizes.contains(-1))
    else {
      throw unsupported("the extents of its input are not known well enough.")
    }
    let before: [Int] = [Int](repeating: 0, count: range.lowerBound)
    return try add(ReshapeStaticOperator(targetShape: before + sizes + trailing), x)
  }

  fileprivate func reshape() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("reshape")
    let x = try input()
    let extents: [Int?] = try extents(x)
    let first: Int = try axis(
      parameters.int("axis", or: 0), rank: extents.count + (parameters.has("axis") ? 1 : 0),
      endsAllowed: true)
    let count: Int = try parameters.int("num_axes", or: -1)
    let end: Int = count < 0 ? extents.count : first + count
    guard first <= end, end <= extents.count else {
      throw invalid(
        "\(count) axes from axis \(first) on do not exist, the input has \(extents.count) axes.")
    }
    let sizes: [Int] = try parameters.message("shape").ints("dim").enumerated().map { index, size in
      guard size == 0 else { return size }
      guard extents.indices.contains(first + index) else {
        throw invalid("the size 0 refers to an axis that the input does not have.")
      }
      // A size of 0 keeps the extent of the input's axis. If this extent is unknown here, the size stays 0, which has
      // the same meaning in the graph's reshape operator.
      guard let extent = extents[first + index] else { return 0 }
      return extent
    }
    guard sizes.filter({ $0 == -1 }).count <= 1, sizes.allSatisfy({ $0 >= -1 }) else {
      throw invalid("the sizes are \(sizes), expected at most one -1.")
    }
    return try reshaped(x, replacing: first..<end, by: sizes)
  }

  fileprivate func permute() throws -> Graph.ValueID {
    let x = try input()
    let rank: Int = try rank(x)
    var order: [Int] = try layer.parameters("permute").ints("order")
    order += (0..<rank).filter { !order.contains($0) }
    guard order.sorted() == Array(0..<rank) else {
      throw invalid("'order' is \(order), expected every axis of \(rank) once.")
    }
    return try add(TransposeOperator(axes: order), x)
  }

  fileprivate func crop() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("crop")
    let (x, reference) = (try input(), try input(1))
    let (own, other) = (try extents(x), try extents(reference))
    guard own.count == other.count else {
      throw invalid(
        "its inputs have \(own.count) and \(other.count) dimensions, expected equal ranks.")
    }
    let first: Int = try axis(parameters.int("axis", or: 2), rank: own.count)
    let stated: [Int] = try parameters.ints("offset")
    guard stated.count <= 1 || stated.count == own.count - first, stated.allSatisfy({ $0 >= 0 })
    else {
      throw invalid("'offset' has \(stated.count) numbers, expected one or \(own.count - first).")
    }
    let offsets: [Int] = (first..<own.count).map {
      stated.count > 1 ? stated[$0 - first] : stated.first ?? 0
    }
    if own.count == 4, first == 2 {
      return try add(
        CropOperator(referenceOffset: .init(top: offsets[0], left: offsets[1])), x, reference)
    }
    var slices = [AxisSlice](repeating: AxisSlice(), count: own.count)
    for axis in first..<own.count {
      guard let extent = other[axis] else {
        throw unsupported("the size to crop to is not known.")
      }
      let begin: Int = offsets[axis - first]
      if let known = own[axis], begin + extent > known {
        throw invalid("\(extent) elements from \(begin) on exceed the axis of \(known).")
      }
      slices[axis] = AxisSlice(begin: begin, end: begin + extent)
    }
    return try add(SliceStaticOperator(slices: slices), x)
  }
}
