import Graph
import Operators

/// Converts shapes between operators of the graph and operations of programs, for images. Operations need four axes,
/// `[N, C, H, W]`. Operators accept any number of axes before C, H and W.
extension ProgramNode {
  /// Returns an input as an image `[N, C, H, W]`. N joins all axes before C.
  func picture(_ input: Int = 0) throws -> MILValue { try picture(try real(input)) }

  /// Reshapes a value to an image `[N, C, H, W]`. N joins all axes before C.
  func picture(_ x: MILValue) throws -> MILValue {
    switch x.rank {
    case 4: return x
    case 3: return try expand(x, [0])
    case 5 where x.extents[0] == 1: return try squeeze(x, [0])
    case 5...:
      let last: [Int?] = Array(x.extents.suffix(3))
      let leading: [Int?] = Array(x.extents.dropLast(3))
      if last.allSatisfy({ $0 != nil }) {
        let known: [Int] = leading.compactMap { $0 }
        let count: Int? = known.count == leading.count ? known.product : nil
        return try reshape(x, [count ?? -1] + last.compactMap { $0 }, [count] + last)
      }
      let sizes: MILValue = try shape(of: x)
      let trailing = try slice(sizes, [(x.rank - 3, nil)])
      let target = try add(
        "concat",
        [
          "values": .values([
            try block.numbers(ReferenceTensor([1], integerValues: [-1], .int32), .int32), trailing,
          ]), "axis": .int(0), "interleave": .bool(false),
        ], [4], .int32)
      return try add(
        "reshape", ["x": .value(x), "shape": .value(target)], [nil] + last, x.element)
    default:
      throw unsupported("the input has \(x.rank) axes, expected three or more.")
    }
  }

  /// Undoes ``picture(_:)`` for a result: gives `picture`, which was computed from `x`, the axes that `x` has before C.
  func restored(_ picture: MILValue, like x: MILValue, output: Int = 0) throws -> MILValue {
    let rank: Int = x.rank
    switch rank {
    case 4: return picture
    case 3: return try squeeze(picture, [0])
    case 5 where x.extents[0] == 1: return try expand(picture, [0])
    default: break
    }
    let leading: [Int?] = Array(x.extents.dropLast(3))
    let last: [Int?] = Array(picture.extents.suffix(3))
    let extents: [Int?] = leading + last
    if extents.count(where: { $0 == nil }) <= 1 {
      return try reshape(picture, extents.map { $0 ?? -1 }, extents)
    }
    let front = try slice(try shape(of: x), [(nil, rank - 3)])
    let back = try slice(try shape(of: picture), [(1, nil)])
    let target = try add(
      "concat",
      ["values": .values([front, back]), "axis": .int(0), "interleave": .bool(false)], [rank],
      .int32)
    return try add(
      "reshape", ["x": .value(picture), "shape": .value(target)], extents, picture.element)
  }

  /// Applies a closure to the first input as an image. Returns the result as the node's only output.
  func onPicture(_ body: (MILValue) throws -> MILValue) throws -> [MILValue] {
    let x: MILValue = try real(0)
    return [try restored(try body(try picture(x)), like: x)]
  }

  /// Returns the extents of the output as an image: the N of the image `x`, and then the last three extents of the
  /// output.
  func madePicture(_ x: MILValue) throws -> [Int?] {
    let last: [Int?] = Array(try made().suffix(3))
    return [x.extents[0]] + last
  }
}
