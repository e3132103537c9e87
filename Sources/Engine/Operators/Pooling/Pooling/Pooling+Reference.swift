import Graph

extension PoolingOperator {
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input: ReferenceTensor = inputs[0]
    let map = try FeatureMap(input.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    var shape: Shape = input.shape
    shape[-2] = rows.count
    shape[-1] = columns.count
    var result: [Double] = []
    result.reserveCapacity(shape.count)
    for sample in 0..<map.batch {
      for channel in 0..<map.channels {
        for row in 0..<rows.count {
          for column in 0..<columns.count {
            let ys: Range<Int> = rows.pixels(row)
            let xs: Range<Int> = columns.pixels(column)
            var sum: Double = 0
            var squares: Double = 0
            var largest: Double = ys.isEmpty || xs.isEmpty ? 0 : -.infinity
            for y in ys {
              for x in xs {
                let value: Double = input.values[map.offset(sample, channel, y, x)]
                sum += value
                squares += value * value
                largest = value.isNaN ? value : max(largest, value)
              }
            }
            switch kind {
            case .maximum: result.append(largest)
            case .l2: result.append(squares.squareRoot())
            case .average:
              let inside: Int = max(ys.count * xs.count, 1)
              let all: Int = rows.countWithPadding(row) * columns.countWithPadding(column)
              result.append(sum / Double(excludesPadding ? inside : all))
            }
          }
        }
      }
    }
    return [ReferenceTensor(shape, result)]
  }
}
