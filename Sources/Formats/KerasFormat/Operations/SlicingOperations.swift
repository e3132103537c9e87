import Graph
import Operators
import Tensors

extension KerasOperationReader {
  /// Operations that take slices or elements of a tensor.
  static let slicing: [KerasOperationReader] = [
    KerasOperationReader("get_item", "getitem", parameters: "x key|slice_spec") { operation in
      var keys: [KerasArgument] = [try operation.argument("key")]
      if case .list(let list) = keys[0], KerasOperation.areKeys(list) { keys = list }
      return try operation.item(keys)
    },
    KerasOperationReader(
      "take", "gather", parameters: "x|params indices axis batch_dims mode",
      harmless: ["validate_indices"]
    ) { operation in
      let x: KerasTensor = try operation.tensor()
      guard try operation.int("batch_dims") ?? 0 == 0 else {
        throw operation.wrong("batch_dims", "0")
      }
      guard !operation.has("mode") else { throw operation.wrong("mode", "none") }
      let isOfTensorFlow: Bool = operation.layer.type.hasSuffix("OpLambda")
      guard let stated = try operation.int("axis") ?? (isOfTensorFlow ? 0 : nil) else {
        throw operation.wrong("axis", "an axis")
      }
      let axis: Int = try operation.axis(stated, x.rank)
      return try operation.taken(operation.argument("indices"), of: x, axis: axis)
    },
    KerasOperationReader(
      "slice", parameters: "x|inputs|input_ start_indices|begin shape|size"
    ) { operation in
      let x: KerasTensor = try operation.tensor()
      let begin: [Int] = try operation.ints("start_indices") ?? []
      let size: [Int] = try operation.ints("shape") ?? []
      guard begin.count == x.rank, size.count == x.rank, begin.allSatisfy({ $0 >= 0 }) else {
        throw operation.wrong("shape", "a start and a size for each of \(x.rank) axes")
      }
      let slices: [AxisSlice] = zip(begin, size).map {
        AxisSlice(begin: $0, end: $1 < 0 ? nil : $0 + $1)
      }
      let made = try operation.context.add(
        SliceStaticOperator(slices: slices), operation.context.kerasOrdered(x))
      return KerasTensor(made, rank: x.rank)
    },
  ]
}

extension KerasOperation {
  /// Returns whether a list is a tuple of keys, one per axis. If false, the list is an array of indices. Files write
  /// both as JSON lists.
  static func areKeys(_ list: [KerasArgument]) -> Bool {
    list.contains { item in
      switch item {
      case .slice, .ellipsis, .nothing: true
      default: false
      }
    } || list.allSatisfy { if case .number = $0 { true } else { false } }
  }

  /// Indexes a tensor, `x[…]`, by Python's rules.
  fileprivate func item(_ stated: [KerasArgument]) throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    let used: Int =
      stated.filter { key in
        switch key {
        case .ellipsis, .nothing: false
        default: true
        }
      }.count
    guard used <= x.rank else { throw wrong("key", "at most one key for each of \(x.rank) axes") }
    let full = KerasArgument.slice(start: .nothing, stop: .nothing, step: .nothing)
    let rest = [KerasArgument](repeating: full, count: x.rank - used)
    var keys: [KerasArgument] = stated
    if let ellipsis = keys.firstIndex(where: { if case .ellipsis = $0 { true } else { false } }) {
      keys.replaceSubrange(ellipsis...ellipsis, with: rest)
    } else {
      keys += rest
    }
    let value = try context.kerasOrdered(x)
    let extents: [Int?] = context.extents(value, rank: x.rank)
    var slices: [AxisSlice] = []
    // The steps after slicing: remove the axes in `removed`, add axes at the positions in `added`, and gather the
    // elements at the indices in `gathered`.
    var removed: [Int] = []
    var added: [Int] = []
    var gathered: (indices: KerasArgument, axis: Int)?
    var resultAxis = 0
    for key in keys {
      let axis: Int = slices.count
      switch key {
      case .nothing:
        added.append(resultAxis)
        resultAxis += 1
      case .slice(let start, let stop, let step):
        slices.append(
          AxisSlice(
            begin: try bound(start, or: nil), end: try bound(stop, or: nil),
            stride: try bound(step, or: 1) ?? 1))
        guard slices[axis].stride != 0 else { throw wrong("key", "strides other than 0") }
        resultAxis += 1
      case .number, .tensor:
        if case .tensor(let tensor) = key, tensor.rank > 0 { fallthrough }
        guard let index = try bound(key, or: 0) else { throw wrong("key", "an index") }
        if let extent = extents[axis], !(-extent..<extent).contains(index) {
          throw context.invalid("the index \(index) does not exist, the axis has \(extent).")
        }
        slices.append(AxisSlice(begin: index, end: index == -1 ? nil : index + 1))
        removed.append(axis)
      case .array, .list:
        guard gathered == nil, removed.isEmpty else {
          throw wrong("key", "slices, or one list of indices among them")
        }
        gathered = (key, resultAxis)
        slices.append(AxisSlice())
        resultAxis += 1
      default: throw wrong("key", "slices and indices")
      }
    }
    var made: Graph.ValueID = value
    if slices.contains(where: { $0 != AxisSlice() }) {
      made = try context.add(SliceStaticOperator(slices: slices), made)
    }
    var rank: Int = x.rank - removed.count
    if rank == 0 {
      made = try context.add(ReshapeStaticOperator(targetShape: [1]), made)
    } else if !removed.isEmpty {
      made = try context.add(SqueezeOperator(axes: removed), made)
    }
    if !added.isEmpty {
      // A scalar is already a vector of one element, so it needs one added axis fewer than `added` lists.
      let axes: [Int] = rank == 0 ? Array(added.dropLast()) : added
      if !axes.isEmpty { made = try context.add(ExpandDimsOperator(axes: axes), made) }
      rank += added.count
    }
    guard let gathered else { return KerasTensor(made, rank: rank) }
    return try taken(gathered.indices, of: KerasTensor(made, rank: rank), axis: gathered.axis)
  }

  private func bound(_ argument: KerasArgument, or standard: Int?) throws -> Int? {
    if case .nothing = argument { return standard }
    guard let found = try ints(of: argument), found.count == 1 else {
      throw wrong("key", "bounds that are known before the network runs")
    }
    return found[0]
  }

  /// Gathers the elements of `x` at `indices` along an axis.
  fileprivate func taken(_ indices: KerasArgument, of x: KerasTensor, axis: Int) throws
    -> KerasTensor
  {
    if case .number = indices, let index = try ints(of: indices)?.first {
      return try item(index, of: x, axis: axis)
    }
    let indexTensor: KerasTensor = try context.tensor(indices)
    let integer = try context.add(CastOperator(to: .int32), context.kerasOrdered(indexTensor))
    let made = try context.add(GatherOperator(axis: axis), context.kerasOrdered(x), integer)
    guard indexTensor.rank == 0 else {
      return KerasTensor(made, rank: x.rank - 1 + indexTensor.rank)
    }
    guard x.rank > 1 else { return KerasTensor(made, rank: 0) }
    return KerasTensor(
      try context.add(SqueezeOperator(axes: [axis]), made), rank: x.rank - 1)
  }
}
