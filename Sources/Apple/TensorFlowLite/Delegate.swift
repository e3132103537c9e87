/// Something that computes parts of a model in another place.
///
/// There is one place here, the processor's own cores; a delegate is kept with its interpreter and asked for nothing.
public protocol Delegate: AnyObject {}
