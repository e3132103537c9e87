import ModelFormat
import Operators

extension GatherOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .gather(.making { $0.axis = Int64(axis) })
  }
}

extension GatherNDOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .gatherND(.init())
  }
}

extension GatherAlongAxisOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .gatherAlongAxis(.making { $0.axis = Int64(axis) })
  }
}

extension ScatterOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .scatter(
      .making {
        $0.axis = Int64(axis)
        $0.mode = mode.message
      })
  }
}

extension ScatterNDOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .scatterND(.making { $0.mode = mode.message })
  }
}

extension ScatterAlongAxisOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .scatterAlongAxis(
      .making {
        $0.axis = Int64(axis)
        $0.mode = mode.message
      })
  }
}

extension OneHotOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let size: UInt64? = try vectorSize.map { try encoder.size($0, "oneHotVectorSize") }
    encoder.layer.layer = .oneHot(
      .making {
        if let size { $0.oneHotVectorSize = size }
        $0.axis = Int64(axis)
        $0.onValue = onValue
        $0.offValue = offValue
      })
  }
}

extension WhereNonZeroOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .whereNonZero(.init())
  }
}

extension WhereBroadcastableOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .whereBroadcastable(.init())
  }
}

extension NonMaximumSuppressionOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let most: UInt64? = try maximumBoxes.map { try encoder.size($0, "maxBoxes") }
    encoder.layer.layer = .nonMaximumSuppression(
      .making {
        $0.iouThreshold = overlapThreshold
        $0.scoreThreshold = scoreThreshold
        if let most { $0.maxBoxes = most }
        $0.perClassSuppression = isPerClass
      })
  }
}

extension ScatterMode {
  /// The scatter mode as a case of the specification's enumeration.
  fileprivate var message: Spec.ScatterMode {
    switch self {
    case .update: return .scatterUpdate
    case .add: return .scatterAdd
    case .subtract: return .scatterSub
    case .multiply: return .scatterMul
    case .divide: return .scatterDiv
    case .maximum: return .scatterMax
    case .minimum: return .scatterMin
    }
  }
}
