package metadata

// metadata13 decodes version 13, in which types are texts.
func (p *parser) metadata13(m *Metadata) {
	m.Pallets = list(p, 7, func() (x Pallet) {
		x.Name = p.Text()
		if p.Option() {
			x.Prefix = p.Text()
			x.Storage = list(p, 6, p.entry13)
		}
		if p.Option() { // calls
			list(p, 3, func() struct{} {
				p.Text()
				list(p, 2, func() struct{} { // arguments and their types
					p.Text()
					p.Text()
					return struct{}{}
				})
				p.docs()
				return struct{}{}
			})
		}
		if p.Option() { // events
			list(p, 3, func() struct{} {
				p.Text()
				list(p, 1, p.Text) // the types of its values
				p.docs()
				return struct{}{}
			})
		}
		x.Constants = list(p, 4, func() (c Constant) {
			c.Name = p.Text()
			p.Text() // its type
			c.Value = p.Blob()
			p.docs()
			return c
		})
		list(p, 2, func() struct{} { // errors
			p.Text()
			p.docs()
			return struct{}{}
		})
		x.Index = p.U8()
		return x
	})
	p.U8() // the extrinsic's version
	m.Extrinsic.Extensions = list(p, 1, func() Extension { return Extension{Name: p.Text()} })
}

// entry13 decodes a storage entry of version 13.
func (p *parser) entry13() (e StorageEntry) {
	e.Name = p.Text()
	p.modifier(&e)
	switch kind := p.U8(); kind {
	case 0: // not a map
		p.Text()
	case 1: // a map
		e.Hashers = []Hasher{p.hasher()}
		p.Text()
		p.Text()
		p.Bool()
	case 2: // a double map
		first := p.hasher()
		p.Text()
		p.Text()
		p.Text()
		e.Hashers = []Hasher{first, p.hasher()}
	case 3: // a map of any number of keys
		list(p, 1, p.Text)
		e.Hashers = list(p, 1, p.hasher)
		p.Text()
	default:
		p.Fail("unknown kind of storage entry %d", kind)
	}
	e.Default = p.Blob()
	p.docs()
	return e
}
